#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/hub/transfer_progress.h"
#include "app/live/view/view.h"
#include "app/live/view/widgets.h"
#include "app/sources/pictures.h"

namespace saccade {

namespace {

bool section(const char* name, bool open = true) {
    return ImGui::CollapsingHeader(name, open ? ImGuiTreeNodeFlags_DefaultOpen : 0);
}

void check(const char* label, bool& value, const char* what) {
    ImGui::Checkbox(label, &value);
    tip(what);
}

bool share(const char* label, float& value, const char* what) {
    const bool moved = ImGui::SliderFloat(label, &value, 0, 1, "%.2f");
    tip(what);
    return moved;
}

// Those that were dropped together.
void draw_list(LiveState& state) {
    if (state.sources.size() < 2) return;
    const auto now = std::ranges::find(state.sources, state.source) - state.sources.begin();
    const std::string shown =
        std::to_string(now + 1) + " of " + std::to_string(state.sources.size());
    if (begin_choice("list", shown)) {
        for (const std::string& source : state.sources)
            if (ImGui::Selectable(title_of_source(source).c_str(), source == state.source))
                choose_source(state, source);
        ImGui::EndCombo();
    }
    tip("list: files that were dropped together (Page Up, Page Down)");
}

void source(ViewInput& in) {
    if (!section("Source")) return;
    LiveState& state = in.state;
    const std::string title = title_of_source(state.source);
    std::string typed = title;
    if (wish("source", typed))
        choose_source(state, typed == title ? state.source : source_meant(typed));
    tip("source: a camera's number, a file, a folder, a URL or synth:, then Enter. Files can be "
        "dropped onto the window, too");
    if (begin_choice("open", "cameras, recent files ...")) {
        for (const SourceOffers::Offer& offer : in.offers.offers())
            if (ImGui::Selectable(offer.name.c_str(), offer.source == state.source))
                choose_source(state, offer.source);
        ImGui::EndCombo();
    }
    tip("open: cameras that are there, what was opened before, the synthetic camera");
    draw_list(state);
    // Of a long path the field does not show the end, which tells files apart.
    const std::string& name = in.view.report.player.name;
    const std::string file = std::filesystem::path(name).filename().string();
    const bool cut = ImGui::CalcTextSize(title.c_str()).x > ImGui::CalcItemWidth();
    if (!file.empty() && (cut || name != state.source)) quiet(file);
}

// The name, and of one that is not here that it has to be downloaded, and how much that is.
std::string described(const KnownModel& model) {
    if (model.here) return model.name;
    return model.name + "  (download" +
           (model.megabytes ? " " + size_text(uint64_t{*model.megabytes} * 1'000'000) : "") + ")";
}

void choose_model(ViewInput& in, const char* label, std::string& wanted, const ModelReport& report,
                  const char* what) {
    ImGui::PushID(label);
    if (begin_choice(label, report.name.empty() ? "none" : report.name)) {
        if (ImGui::Selectable("none", report.name.empty())) wanted = "none";
        for (const KnownModel& model : report.known) {
            const bool here = model.here || in.pull.has(model.name);
            if (!ImGui::Selectable(here ? model.name.c_str() : described(model).c_str(),
                                   model.name == report.name))
                continue;
            if (here)
                wanted = model.name;
            else
                in.pull.start(model.name, [&wanted, name = model.name] { wanted = name; });
        }
        ImGui::Separator();
        wish("folder", wanted);
        tip("folder: of another model, as Hugging Face keeps them, then Enter");
        ImGui::EndCombo();
    }
    tip(what);
    if (!report.loading.empty()) progress("loading " + report.loading, report.progress);
    if (!report.error.empty()) warning(report.error);
    ImGui::PopID();
}

// How often a model looks.
void every(const char* label, uint32_t& stride, const char* what) {
    int frames = static_cast<int>(stride);
    if (ImGui::SliderInt(label, &frames, 1, 30, frames == 1 ? "every frame" : "every %d frames"))
        stride = static_cast<uint32_t>(std::clamp(frames, 1, 1000));
    tip(what);
}

void models(ViewInput& in) {
    if (!section("Models")) return;
    LiveState& state = in.state;
    const LiveReport& report = in.view.report;
    choose_model(in, "detector", state.detector, report.detector,
                 "detector: finds objects and draws boxes around them");
    every("detector runs", state.detector_stride,
          "detector runs: on fewer frames, everything is faster; boxes of earlier frames fade");
    choose_model(in, "classifier", state.classifier, report.classifier,
                 "classifier: names what the whole picture shows");
    every("classifier runs", state.classifier_stride,
          "classifier runs: on fewer frames, everything is faster");
    choose_model(in, "captioner", state.captioner, report.captioner,
                 "captioner: describes the picture in a sentence");
    if (!report.caption_note.empty()) quiet(report.caption_note);
    if (in.pull.busy()) {
        progress("pulling " + in.pull.name(), in.pull.share());
        tip("pulling: what has come stays, also if it is broken off");
    } else if (!in.pull.error().empty()) {
        warning(in.pull.name() + " did not come: " + in.pull.error() +
                ". Choose it again to go on from there");
    }
}

void class_filter(LiveState& state, const std::vector<std::string>& labels) {
    const std::string shown =
        state.only.empty() ? "all" : std::to_string(state.only.size()) + " of them";
    const bool open = begin_choice("objects", shown);
    tip("objects: the classes of the detector whose boxes are shown (--classes)");
    if (!open) return;
    if (ImGui::Selectable("all", state.only.empty())) state.only.clear();
    for (const std::string& label : labels) {
        bool chosen = state.only.contains(label);
        if (!ImGui::Checkbox(label.c_str(), &chosen)) continue;
        if (chosen)
            state.only.insert(label);
        else
            state.only.erase(label);
    }
    ImGui::EndCombo();
}

void truth(LiveState& state, const Score& score) {
    const Tally& objects = score.objects();
    check("truth", state.truth, "truth (T): what is really there, which the source knows");
    if (objects.count() > 0) {
        ImGui::SameLine();
        ImGui::Text("precision %.3f, recall %.3f", objects.precision(), objects.recall());
        tip("precision: the part of the boxes that are right; recall: the part of the objects that "
            "were found");
    }
    if (score.captions() > 0)
        ImGui::Text("%llu of %llu captions right to the word",
                    static_cast<unsigned long long>(score.right_captions()),
                    static_cast<unsigned long long>(score.captions()));
}

// Who is there, who is waited for, and how well that goes if the source knows.
void tracks(LiveState& state, const LiveReport& report) {
    check("tracks", state.track, "tracks (K): the same number for the same thing in every frame");
    if (!report.tracks) return;
    const TrackReport& tracks = *report.tracks;
    ImGui::SameLine();
    ImGui::Text("%u seen, %u lost, %u found again", tracks.seen, tracks.lost, tracks.found_again);
    auto say = [](const char* what, const std::vector<uint32_t>& numbers) {
        std::string line = what;
        for (const uint32_t number : numbers) line += " " + std::to_string(number);
        if (!numbers.empty()) quiet(line);
    };
    say("lost:", tracks.lost_numbers);
    say("found again:", tracks.found_numbers);
    if (tracks.followed > 0) {
        using Followed = TrackReport::Followed;
        const std::string who = "track " + std::to_string(tracks.followed);
        text(tracks.state == Followed::seen   ? "what " + who + " looks at"
             : tracks.state == Followed::lost ? who + " is lost, and waited for"
                                              : who + " is gone; click another");
    }
    if (report.score) {
        ImGui::Text("IDF1 %.3f, MOTA %.3f, %llu switches", tracks.idf1, tracks.mota,
                    static_cast<unsigned long long>(tracks.switches));
        tip("IDF1: the part of boxes whose number is right; switches: how often a thing got "
            "another");
    }
    for (const RegionCounts& region : tracks.counts)
        for (const RegionCounts::OfClass& of : region.classes)
            if (of.id < report.labels.size())
                text(region.name + ", " + report.labels[of.id] + ": in " + std::to_string(of.in) +
                     ", out " + std::to_string(of.out) +
                     (region.zone ? ", inside " + std::to_string(of.inside) : ""));
}

// What the classifier holds for likely, beside the picture, where it covers no box.
void classes(const LiveView& view) {
    for (const LikelyClass& one : view.classes) {
        char percent[16];
        std::snprintf(percent, sizeof percent, "%.0f %%", 100 * double(one.score));
        ImGui::ProgressBar(one.score, {6 * em(), 0}, percent);
        ImGui::SameLine();
        text(one.label);
    }
    if (view.classes.empty() && view.classified) {
        quiet("not sure");
        tip("not sure: no class scores as much as the model needs to be believed");
    }
}

void shown(ViewInput& in) {
    if (!section("Shown")) return;
    LiveState& state = in.state;
    check("boxes", state.boxes, "boxes (D): around what the detector has found");
    ImGui::SameLine();
    check("caption", state.caption, "caption (C): the captioner's sentence");
    ImGui::SameLine();
    check("classes", state.classes, "classes (L): what the classifier holds for likely");
    float least = state.threshold.value_or(in.view.report.sure_above);
    if (share("least score", least,
              "least score: boxes that score less are left out (--threshold)"))
        state.threshold = least;
    class_filter(state, in.view.report.labels);
    tracks(state, in.view.report);
    draw_region_list(in);
    if (in.view.report.score) truth(state, *in.view.report.score);
    if (state.classes) classes(in.view);
}

// Which maps, of whom.
void choose_maps(AttentionState& a, AskedModel& asked, const MapChoices& choices,
                 const LiveReport& report) {
    if (begin_choice("maps", title_of(a.mode))) {
        for (AttentionMode mode : attention_modes)
            if (ImGui::Selectable(title_of(mode), mode == a.mode)) a.mode = mode;
        ImGui::EndCombo();
    }
    tip("maps (A): of one head of a layer, of all of them by mean or greatest, side by side, or "
        "followed through all layers (rollout); similarity: how much the features of each patch "
        "are like those of the one under the mouse; colours: their three main components");
    if (a.mode == AttentionMode::off) return;
    // Where one of them is missing, the other is asked.
    const bool detector = !report.detector.name.empty(),
               classifier = !report.classifier.name.empty();
    AskedModel looks = asked;
    if (detector != classifier) looks = detector ? AskedModel::detector : AskedModel::classifier;
    if (begin_choice("ask", std::string(name_of(looks)))) {
        for (AskedModel model : {AskedModel::detector, AskedModel::classifier})
            if (ImGui::Selectable(std::string(name_of(model)).c_str(), model == asked))
                asked = model;
        ImGui::EndCombo();
    }
    tip("ask (M): whose attention the patch under the mouse shows");
    auto choose = [](const char* label, uint32_t& value, uint32_t count, const char* what) {
        const int last = static_cast<int>(count) - 1;
        int number = std::min(static_cast<int>(value), last);
        if (ImGui::SliderInt(label, &number, 0, last))
            value = static_cast<uint32_t>(std::clamp(number, 0, last));
        tip(what);
    };
    if (has_layers(a.mode))
        choose("layer", a.layer, choices.layers, "layer ([ and ]): counted from 0, the first");
    if (a.mode == AttentionMode::head)
        choose("head", a.head, choices.heads, "head (0 - 9): counted from 0");
}

void second_view(LiveState& state, const LiveReport& report) {
    using enum SecondView::Kind;
    if (begin_choice("second view", title_of(state.second.kind))) {
        for (SecondView::Kind kind : {off, bare, maps})
            if (ImGui::Selectable(title_of(kind), kind == state.second.kind))
                choose_second_view(state, kind);
        ImGui::EndCombo();
    }
    tip("second view (B): the picture once more beside itself, under the same pointer: as it came, "
        "or with maps of another model, layer or head. Keys for maps are for the view under the "
        "mouse");
    if (state.second.kind != maps) return;
    ImGui::PushID("second");
    ImGui::Indent();
    choose_maps(state.second.attention, state.second.asked, state.second_choices, report);
    ImGui::Unindent();
    ImGui::PopID();
}

void attention(ViewInput& in) {
    if (!section("Attention")) return;
    LiveState& state = in.state;
    AttentionState& a = state.attention;
    choose_maps(a, state.asked, state.choices, in.view.report);
    second_view(state, in.view.report);
    if (a.mode == AttentionMode::off && state.second.kind != SecondView::Kind::maps) return;
    share("strength", a.blend, "strength: how much the map covers the picture");
    share(
        "share shown", a.mass,
        "share shown: only the fewest patches are coloured that hold this share of the attention");
    check("one scale for all", a.fixed_scale,
          "one scale for all: a colour means the same in every map; else the largest value of each "
          "map has the last colour");
    check("overview", state.overview,
          "overview (O): maps while nobody points at anything, too: of the strongest detection, or "
          "of the classifier's class token");
    if (holds(state) && ImGui::Button("let go")) release_held(state);
}

void keep(LiveState& state) {
    if (!section("Keep", false)) return;
    auto button = [](const char* label, const char* what) {
        const bool pressed = ImGui::Button(label);
        tip(what);
        return pressed;
    };
    if (button("view as picture", "view as picture (S): what is seen, with its legend, as PNG"))
        ++state.view_screenshots;
    ImGui::SameLine();
    if (button("frame as picture", "frame as picture (E): the annotated frame alone, as PNG"))
        ++state.screenshots;
    check("record the view", state.view_recording, "record the view (V): to an mp4 file");
    check("record frames", state.recording, "record frames (R): annotated, to an mp4 file");
    wish("send to", state.feed);
    tip("send to: annotated frames for other programs: /dev/videoN (v4l2loopback), "
        "udp://HOST:PORT, a pipe or a file, then Enter; empty: nowhere (--to)");
    if (button("map as .npy", "map as .npy (N): the maps that are shown, for NumPy"))
        ++state.saved_maps;
    ImGui::SameLine();
    if (button("page", "page (I): freezes, and opens the page of inspect for this frame")) {
        state.frozen = true;
        ++state.pages;
    }
}

void performance(ViewInput& in) {
    if (!section("Performance", false)) return;
    LiveState& state = in.state;
    const LiveReport& report = in.view.report;
    text(report.device);
    ImGui::Text("%.1f frames/s, %llu frames, %llu dropped", report.frames_per_second,
                static_cast<unsigned long long>(report.frames),
                static_cast<unsigned long long>(report.dropped));
    ImGui::Text("capture to screen %.0f ms, GPU idle %.0f %%", report.latency_ms,
                100 * report.gpu_idle);
    ImGui::Text("memory: GPU %.0f MiB, host %.0f MiB", double(report.memory.device_bytes) / 1048576,
                double(report.memory.host_bytes) / 1048576);
    for (const StageTimes::Stage& stage : report.stages.stages) {
        char label[64];
        std::snprintf(label, sizeof label, "%.2f ms", double(stage.ms.last()));
        auto value = [](void* data, int i) {
            return (*static_cast<const Rolling*>(data))[static_cast<size_t>(i)];
        };
        ImGui::PlotLines(stage.name.c_str(), value, const_cast<Rolling*>(&stage.ms),
                         static_cast<int>(stage.ms.count()), 0, label, 0,
                         std::max(1.0f, 2 * stage.ms.mean()), {0, 2 * em()});
    }
    if (!report.shader_error.empty()) warning(report.shader_error);
    if (report.present_modes.size() > 1 &&
        begin_choice("present", std::string(name_of(state.present_mode)))) {
        for (PresentMode mode : report.present_modes)
            if (ImGui::Selectable(std::string(name_of(mode)).c_str(), mode == state.present_mode))
                state.present_mode = mode;
        ImGui::EndCombo();
    }
}

}  // namespace

void draw_side_panel(ViewInput& in, const Rectangle& place) {
    begin_part("##panel", place);
    // The rest is for their names.
    ImGui::PushItemWidth(-std::min(7.5f * em(), 0.5f * ImGui::GetContentRegionAvail().x));
    source(in);
    models(in);
    draw_words(in);
    shown(in);
    attention(in);
    keep(in.state);
    performance(in);
    ImGui::PopItemWidth();
    end_part();
}

}  // namespace saccade
