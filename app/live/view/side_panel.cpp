#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>

#include "app/hub/transfer_progress.h"
#include "app/live/view/cause/cause_panel.h"
#include "app/live/view/view.h"
#include "app/live/view/widgets.h"
#include "app/sources/pictures.h"

namespace saccade {

namespace {

bool section(const char* name, bool open = true) {
    return ImGui::CollapsingHeader(name, open ? ImGuiTreeNodeFlags_DefaultOpen : 0);
}

bool share(const char* label, float& value, const char* what) {
    const bool moved = ImGui::SliderFloat(label, &value, 0, 1, "%.2f");
    tip(what);
    return moved;
}

// Sources that were dropped together.
void draw_list(Session& session) {
    const std::vector<SourceName>& sources = session.wishes.sources;
    if (sources.size() < 2) return;
    const auto now = std::ranges::find(sources, session.wishes.source) - sources.begin();
    const std::string shown = std::to_string(now + 1) + " of " + std::to_string(sources.size());
    if (begin_choice("list", shown)) {
        std::optional<SourceName> chosen;
        for (const SourceName& source : sources)
            if (ImGui::Selectable(title_of_source(source).c_str(), source == session.wishes.source))
                chosen = source;
        if (chosen) choose_source(session, *chosen);
        ImGui::EndCombo();
    }
    tip("list: files that were dropped together (Page Up, Page Down)");
}

void source(ViewInput& in) {
    if (!section("Source")) return;
    Session& session = in.session;
    const SourceName& now = session.wishes.source;
    const std::string title = title_of_source(now);
    std::string typed = title;
    if (wish("source", typed)) choose_source(session, typed == title ? now : source_meant(typed));
    tip("source: a camera's number, a file, a folder, a URL or synth:, then Enter. Files can be "
        "dropped onto the window, too");
    if (begin_choice("open", "cameras, recent files ...")) {
        for (const SourceOffers::Offer& offer : in.offers.offers())
            if (ImGui::Selectable(offer.name.c_str(), offer.source == now))
                choose_source(session, offer.source);
        ImGui::EndCombo();
    }
    tip("open: cameras that are there, what was opened before, the synthetic camera");
    draw_list(session);
    // The end of a long path, which tells files apart, does not fit into the field.
    const SourceName& name = session.status.player.name;
    const std::string file = std::filesystem::path(name.text()).filename().string();
    const bool cut = ImGui::CalcTextSize(title.c_str()).x > ImGui::CalcItemWidth();
    if (!file.empty() && (cut || name != now)) quiet(file);
}

// The name, with the size of the download for a model that is not on this machine.
std::string described(const KnownModel& model) {
    if (model.here) return model.name;
    return model.name + "  (download" +
           (model.megabytes ? " " + size_text(uint64_t{*model.megabytes} * 1'000'000) : "") + ")";
}

void choose_model(ViewInput& in, const char* label, std::string& wanted, const ModelStatus& status,
                  const char* what) {
    ImGui::PushID(label);
    if (begin_choice(label, status.name.empty() ? "none" : status.name)) {
        if (ImGui::Selectable("none", status.name.empty())) wanted = "none";
        for (const KnownModel& model : status.known) {
            const bool here = model.here || in.pull.has(model.name);
            if (!ImGui::Selectable(here ? model.name.c_str() : described(model).c_str(),
                                   model.name == status.name))
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
    if (!status.loading.empty()) progress("loading " + status.loading, status.progress);
    if (!status.error.empty()) warning(status.error);
    ImGui::PopID();
}

// The stride of a model.
void every(const char* label, uint32_t& stride, const char* what) {
    int frames = static_cast<int>(stride);
    if (ImGui::SliderInt(label, &frames, 1, 30, frames == 1 ? "every frame" : "every %d frames"))
        stride = static_cast<uint32_t>(std::clamp(frames, 1, 1000));
    tip(what);
}

void models(ViewInput& in) {
    if (!section("Models")) return;
    Wishes& wishes = in.session.wishes;
    const Status& status = in.session.status;
    choose_model(in, "detector", wishes.detector, status.detector,
                 "detector: finds objects and draws boxes around them");
    every("detector runs", wishes.detector_stride,
          "detector runs: on fewer frames, everything is faster; boxes of earlier frames fade");
    choose_model(in, "classifier", wishes.classifier, status.classifier,
                 "classifier: names what the whole picture shows");
    every("classifier runs", wishes.classifier_stride,
          "classifier runs: on fewer frames, everything is faster");
    choose_model(in, "captioner", wishes.captioner, status.captioner,
                 "captioner: describes the picture in a sentence");
    if (!status.caption_note.empty()) quiet(status.caption_note);
    if (in.pull.busy()) {
        progress("pulling " + in.pull.name(), in.pull.share());
        tip("pulling: a download that is broken off goes on from there the next time");
    } else if (!in.pull.error().empty()) {
        warning(in.pull.name() + " did not come: " + in.pull.error() +
                ". Choose it again to go on from there");
    }
}

void class_filter(std::set<std::string>& only, const std::vector<std::string>& labels) {
    const std::string shown = only.empty() ? "all" : std::to_string(only.size()) + " of them";
    const bool open = begin_choice("objects", shown);
    tip("objects: the classes of the detector whose boxes are shown (--classes)");
    if (!open) return;
    if (ImGui::Selectable("all", only.empty())) only.clear();
    for (const std::string& label : labels) {
        bool chosen = only.contains(label);
        if (!ImGui::Checkbox(label.c_str(), &chosen)) continue;
        if (chosen)
            only.insert(label);
        else
            only.erase(label);
    }
    ImGui::EndCombo();
}

void truth(Wishes& wishes, const Score& score) {
    const Tally& objects = score.objects();
    draw_switches(wishes, PanelPart::truth);
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

// The tracks that are seen and lost, and their score where the source has ground truth.
void tracks(Wishes& wishes, const Status& status) {
    draw_switches(wishes, PanelPart::tracks);
    if (!status.tracks) return;
    const TrackStatus& tracks = *status.tracks;
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
        using Followed = TrackStatus::Followed;
        const std::string name = "track " + std::to_string(tracks.followed);
        text(tracks.state == Followed::seen   ? "what " + name + " looks at"
             : tracks.state == Followed::lost ? name + " is lost, and waited for"
                                              : name + " is gone; click another");
    }
    if (status.score) {
        ImGui::Text("IDF1 %.3f, MOTA %.3f, %llu switches", tracks.idf1, tracks.mota,
                    static_cast<unsigned long long>(tracks.switches));
        tip("IDF1: the part of boxes with the right number; switches: how often an object got "
            "another");
    }
    for (const RegionCounts& region : tracks.counts)
        for (const RegionCounts::OfClass& of : region.classes)
            if (of.id < status.labels.size())
                text(region.name + ", " + status.labels[of.id] + ": in " + std::to_string(of.in) +
                     ", out " + std::to_string(of.out) +
                     (region.zone ? ", inside " + std::to_string(of.inside) : ""));
}

// Likely classes, beside the picture, where they cover no box.
void classes(const LiveView& view) {
    const std::string of = std::to_string(view.of_classes) + " classes";
    if (!view.classes.empty()) quiet("likely, of " + of);
    for (const LikelyClass& one : view.classes) {
        char percent[16];
        std::snprintf(percent, sizeof percent, "%.0f %%", 100 * double(one.score));
        ImGui::ProgressBar(one.score, {6 * em(), 0}, percent);
        ImGui::SameLine();
        text(one.label);
    }
    if (view.classes.empty() && view.classified) {
        char line[64];
        std::snprintf(line, sizeof line, "none of %s reaches %.0f %%", of.c_str(),
                      100 * double(view.sure_above));
        quiet(line);
        tip("none: no class scores as much as the model needs to be believed");
    }
}

void shown(ViewInput& in) {
    if (!section("Shown")) return;
    Wishes& wishes = in.session.wishes;
    Wishes::Filter& filter = wishes.look.filter;
    const Status& status = in.session.status;
    draw_switches(wishes, PanelPart::shown);
    float least = filter.threshold.value_or(status.sure_above);
    if (share("least score", least,
              "least score: boxes that score less are left out (--threshold)"))
        filter.threshold = least;
    class_filter(filter.only, status.labels);
    tracks(wishes, status);
    draw_region_list(in);
    if (status.score) truth(wishes, *status.score);
    if (wishes.look.classes) classes(in.view);
}

// The kind of maps, and their model.
void choose_maps(AttentionState& a, MapModel& chosen, const MapChoices& choices,
                 const Status& status) {
    if (begin_choice("maps", title_of(a.mode))) {
        for (AttentionMode mode : attention_modes)
            if (ImGui::Selectable(title_of(mode), mode == a.mode)) a.mode = mode;
        ImGui::EndCombo();
    }
    tip("maps (A): of one head of a layer, of all of them by mean or greatest, side by side, or "
        "followed through all layers (rollout); similarity: how much the features of each patch "
        "are like those of the one under the mouse; colours: their three main components; cause: "
        "what the object, class or word needs, by knocking patches out");
    if (a.mode == AttentionMode::off) return;
    // Without one of them, maps are of the other.
    const bool detector = !status.detector.name.empty(),
               classifier = !status.classifier.name.empty();
    MapModel shown = chosen;
    if (detector != classifier) shown = detector ? MapModel::detector : MapModel::classifier;
    if (begin_choice("ask", std::string(name_of(shown)))) {
        for (MapModel model : {MapModel::detector, MapModel::classifier})
            if (ImGui::Selectable(std::string(name_of(model)).c_str(), model == chosen))
                chosen = model;
        ImGui::EndCombo();
    }
    tip("ask (M): whose attention the patch under the mouse shows");
    auto choose = [](const char* label, uint32_t& value, uint32_t count, const char* what) {
        const int last = static_cast<int>(count) - 1;
        int number = std::min(static_cast<int>(value), last);
        const std::string format = "%d of 0-" + std::to_string(last);
        if (ImGui::SliderInt(label, &number, 0, last, format.c_str()))
            value = static_cast<uint32_t>(std::clamp(number, 0, last));
        tip(what);
    };
    if (has_layers(a.mode))
        choose("layer", a.layer, choices.layers, "layer ([ and ]): counted from 0, the first");
    if (a.mode == AttentionMode::head)
        choose("head", a.head, choices.heads, "head (0 - 9): counted from 0");
}

void second_view(Session& session) {
    using enum SecondView::Kind;
    SecondView& second = session.wishes.look.second;
    if (begin_choice("second view", title_of(second.kind))) {
        for (SecondView::Kind kind : {off, bare, maps})
            if (ImGui::Selectable(title_of(kind), kind == second.kind))
                choose_second_view(session.wishes, kind);
        ImGui::EndCombo();
    }
    tip("second view (B): the picture once more beside itself, under the same pointer: as it came, "
        "or with maps of another model, layer or head. Keys for maps are for the view under the "
        "mouse");
    if (second.kind != maps) return;
    ImGui::PushID("second");
    ImGui::Indent();
    choose_maps(second.attention, second.model, session.status.second_choices, session.status);
    ImGui::Unindent();
    ImGui::PopID();
}

void attention(ViewInput& in) {
    if (!section("Attention")) return;
    Session& session = in.session;
    Wishes::Look& look = session.wishes.look;
    choose_maps(look.attention, look.model, session.status.choices, session.status);
    second_view(session);
    if (look.attention.mode == AttentionMode::off && look.second.kind != SecondView::Kind::maps)
        return;
    share("opacity", look.attention.blend, "opacity: how much the map covers the picture");
    share(
        "share shown", look.attention.mass,
        "share shown: only the fewest patches are coloured that hold this share of the attention");
    draw_switches(session.wishes, PanelPart::attention);
    if (holds(session.pointer) && ImGui::Button("let go")) release_held(session.pointer);
}

// A button for each key that saves something, by the key's own row in the table.
void save_button(Session& session, char32_t key) {
    for (const Control& control : controls()) {
        if (control.key != key) continue;
        if (ImGui::Button(control.label)) press_key(session, key);
        tip((std::string(control.label) + " (" + control.keys + "): " + control.line).c_str());
    }
}

void keep(Session& session) {
    if (!section("Keep", false)) return;
    save_button(session, U's');
    ImGui::SameLine();
    save_button(session, U'e');
    draw_switches(session.wishes, PanelPart::keep);
    wish("send to", session.wishes.feed);
    tip("send to: annotated frames for other programs: /dev/videoN (v4l2loopback), "
        "udp://HOST:PORT, a pipe or a file, then Enter; empty: nowhere (--to)");
    save_button(session, U'n');
    ImGui::SameLine();
    save_button(session, U'i');
    ImGui::SameLine();
    save_button(session, U't');
}

void performance(ViewInput& in) {
    if (!section("Performance", false)) return;
    const Status& status = in.session.status;
    PresentMode& present_mode = in.session.wishes.window.present_mode;
    text(status.device);
    if (status.stands) {
        ImGui::Text("the picture stands still; %llu frames so far",
                    static_cast<unsigned long long>(status.frames));
    } else {
        ImGui::Text("%.1f frames/s, %llu frames, %llu dropped", status.frames_per_second,
                    static_cast<unsigned long long>(status.frames),
                    static_cast<unsigned long long>(status.dropped));
        ImGui::Text("capture to screen %.0f ms, GPU idle %.0f %%", status.latency_ms,
                    100 * status.gpu_idle);
    }
    ImGui::Text("memory: GPU %.0f MiB, host %.0f MiB", double(status.memory.device_bytes) / 1048576,
                double(status.memory.host_bytes) / 1048576);
    for (const StageTimes::Stage& stage : status.stages.stages) {
        char label[64];
        std::snprintf(label, sizeof label, "%.2f ms", double(stage.ms.last()));
        auto value = [](void* data, int i) {
            return (*static_cast<const Rolling*>(data))[static_cast<size_t>(i)];
        };
        ImGui::PlotLines(stage.name.c_str(), value, const_cast<Rolling*>(&stage.ms),
                         static_cast<int>(stage.ms.count()), 0, label, 0,
                         std::max(1.0f, 2 * stage.ms.mean()), {0, 2 * em()});
    }
    if (!status.shader_error.empty()) warning(status.shader_error);
    if (status.present_modes.size() > 1 &&
        begin_choice("present", std::string(name_of(present_mode)))) {
        for (PresentMode mode : status.present_modes)
            if (ImGui::Selectable(std::string(name_of(mode)).c_str(), mode == present_mode))
                present_mode = mode;
        ImGui::EndCombo();
    }
}

}  // namespace

void draw_switches(Wishes& wishes, PanelPart part) {
    const float end = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    bool first = true;
    for (const Control& control : controls()) {
        if (control.panel != part) continue;
        const float width = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x +
                            ImGui::CalcTextSize(control.label).x;
        const float spacing = ImGui::GetStyle().ItemSpacing.x;
        // Those of the picture lie side by side, as many as fit.
        if (!first && part == PanelPart::shown &&
            ImGui::GetItemRectMax().x + spacing + width <= end)
            ImGui::SameLine();
        first = false;
        ImGui::Checkbox(control.label, value_of(control, wishes));
        tip(tip_of(control).c_str());
    }
}

void draw_side_panel(ViewInput& in, const Rectangle& place) {
    begin_part("##panel", place);
    // The rest of the width is for labels.
    ImGui::PushItemWidth(-std::min(7.5f * em(), 0.5f * ImGui::GetContentRegionAvail().x));
    source(in);
    models(in);
    draw_words(in);
    shown(in);
    attention(in);
    draw_cause(in.session);
    keep(in.session);
    performance(in);
    ImGui::PopItemWidth();
    end_part();
}

}  // namespace saccade
