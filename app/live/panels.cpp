#include "app/live/panels.h"

#include <imgui.h>

#include <algorithm>
#include <cstdio>

#include "app/live/keys.h"

namespace saccade {

namespace {

float em() { return ImGui::GetFontSize(); }

void text(const std::string& line) { ImGui::TextUnformatted(line.c_str()); }

void warning(const std::string& line) {
    ImGui::PushStyleColor(ImGuiCol_Text, {1.0f, 0.6f, 0.3f, 1.0f});
    ImGui::TextWrapped("%s", line.c_str());
    ImGui::PopStyleColor();
}

// A line of text that takes effect when it is finished with Enter.
void wish(const char* label, std::string& value) {
    char typed[512];
    std::snprintf(typed, sizeof typed, "%s", value.c_str());
    if (ImGui::InputText(label, typed, sizeof typed, ImGuiInputTextFlags_EnterReturnsTrue))
        value = typed;
}

void model(const char* label, std::string& wanted, const ModelReport& report) {
    ImGui::PushID(label);
    if (ImGui::BeginCombo(label, report.name.empty() ? "none" : report.name.c_str())) {
        if (ImGui::Selectable("none", report.name.empty())) wanted = "none";
        for (const std::string& name : report.known)
            if (ImGui::Selectable(name.c_str(), name == report.name)) wanted = name;
        ImGui::Separator();
        wish("folder", wanted);
        ImGui::EndCombo();
    }
    if (!report.loading.empty())
        ImGui::ProgressBar(report.progress, {-1, 0}, ("loading " + report.loading).c_str());
    if (!report.error.empty()) warning(report.error);
    ImGui::PopID();
}

// How often a model looks.
void every(const char* label, uint32_t& stride) {
    int frames = static_cast<int>(stride);
    if (ImGui::SliderInt(label, &frames, 1, 30, frames == 1 ? "every frame" : "every %d frames"))
        stride = static_cast<uint32_t>(std::clamp(frames, 1, 1000));
}

void source_and_models(LiveState& state, const LiveReport& report) {
    if (!ImGui::CollapsingHeader("Source and models", ImGuiTreeNodeFlags_DefaultOpen)) return;
    wish("source", state.source);
    if (!report.source_state.empty()) warning(report.source_state);
    model("detector", state.detector, report.detector);
    every("looks##detector", state.detector_stride);
    model("classifier", state.classifier, report.classifier);
    every("looks##classifier", state.classifier_stride);
    model("captioner", state.captioner, report.captioner);
}

void class_filter(LiveState& state, const std::vector<std::string>& labels) {
    const std::string shown =
        state.only.empty() ? "all classes" : std::to_string(state.only.size()) + " classes";
    if (!ImGui::BeginCombo("only", shown.c_str())) return;
    if (ImGui::Selectable("all classes", state.only.empty())) state.only.clear();
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
    ImGui::Checkbox("truth", &state.truth);
    if (objects.count() > 0) {
        ImGui::SameLine();
        ImGui::Text("precision %.3f, recall %.3f", objects.precision(), objects.recall());
    }
    if (score.captions() > 0)
        ImGui::Text("%llu of %llu captions right to the word",
                    static_cast<unsigned long long>(score.right_captions()),
                    static_cast<unsigned long long>(score.captions()));
}

void shown(LiveState& state, const LiveReport& report) {
    if (!ImGui::CollapsingHeader("Shown", ImGuiTreeNodeFlags_DefaultOpen)) return;
    ImGui::Checkbox("boxes", &state.boxes);
    ImGui::SameLine();
    ImGui::Checkbox("caption", &state.caption);
    ImGui::SameLine();
    ImGui::Checkbox("classes", &state.classes);
    if (report.score) truth(state, *report.score);
    ImGui::SliderFloat("threshold", &state.threshold, 0, 1, "%.2f");
    class_filter(state, report.labels);
    ImGui::Checkbox("frozen", &state.frozen);
}

void attention(LiveState& state) {
    if (!ImGui::CollapsingHeader("Attention", ImGuiTreeNodeFlags_DefaultOpen)) return;
    AttentionState& a = state.attention;
    if (ImGui::BeginCombo("maps", std::string(name_of(a.mode)).c_str())) {
        for (AttentionMode mode : attention_modes)
            if (ImGui::Selectable(std::string(name_of(mode)).c_str(), mode == a.mode))
                a.mode = mode;
        ImGui::EndCombo();
    }
    if (a.mode == AttentionMode::off) return;
    auto choose = [](const char* label, uint32_t& value, uint32_t count) {
        int number = static_cast<int>(std::min(value, count - 1)) + 1;  // people count from one
        if (ImGui::SliderInt(label, &number, 1, static_cast<int>(count)))
            value = static_cast<uint32_t>(std::clamp(number, 1, static_cast<int>(count)) - 1);
    };
    if (a.mode != AttentionMode::rollout) choose("layer", a.layer, state.layers);
    if (a.mode == AttentionMode::head) choose("head", a.head, state.heads);
    ImGui::SliderFloat("blend", &a.blend, 0, 1, "%.2f");
    ImGui::SliderFloat("mass", &a.mass, 0, 1, "%.2f");
    ImGui::Checkbox("fixed scale", &a.fixed_scale);
    if (state.query && ImGui::Button("forget the chosen object")) state.query.reset();
}

void performance(LiveState& state, const LiveReport& report) {
    if (!ImGui::CollapsingHeader("Performance", ImGuiTreeNodeFlags_DefaultOpen)) return;
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
        ImGui::BeginCombo("present", std::string(name_of(state.present_mode)).c_str())) {
        for (PresentMode mode : report.present_modes)
            if (ImGui::Selectable(std::string(name_of(mode)).c_str(), mode == state.present_mode))
                state.present_mode = mode;
        ImGui::EndCombo();
    }
}

void help(LiveState& state) {
    const ImVec2 middle = ImGui::GetMainViewport()->GetCenter();
    ImGui::SetNextWindowPos(middle, ImGuiCond_Always, {0.5f, 0.5f});
    if (ImGui::Begin("Keys", &state.help,
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                         ImGuiWindowFlags_NoCollapse) &&
        ImGui::BeginTable("keys", 2)) {
        auto row = [](const char* key, const char* what) {
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(key);
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(what);
        };
        for (const KeyBinding& binding : key_bindings()) row(binding.keys, binding.what);
        row("mouse", "the patch under it asks: where does it look?");
        row("click", "on an object: where did its query look?");
        row("over a word", "where did the decoder look when it wrote that?");
        ImGui::EndTable();
    }
    ImGui::End();
}

// What is going on, at the upper edge, whether or not the panels are shown.
void status(const LiveState& state, const LiveReport& report) {
    std::string line;
    auto say = [&](const std::string& part) {
        if (!part.empty()) line += (line.empty() ? "" : "   ") + part;
    };
    if (state.frozen) say("frozen");
    if (state.recording) {
        char seconds[48];
        std::snprintf(seconds, sizeof seconds, "recording %.0f s", report.recorded_seconds);
        say(seconds);
    }
    if (!state.panels) say(report.source_state);
    say(report.notice);
    if (line.empty()) return;
    const float middle = ImGui::GetIO().DisplaySize.x / 2;
    ImGui::SetNextWindowPos({middle, em() / 2}, ImGuiCond_Always, {0.5f, 0});
    if (ImGui::Begin("##status", nullptr,
                     ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                         ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                         ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav))
        text(line);
    ImGui::End();
}

}  // namespace

void draw_panels(LiveState& state, const LiveReport& report) {
    if (state.panels) {
        ImGui::SetNextWindowPos({em(), em()}, ImGuiCond_FirstUseEver);
        ImGui::SetNextWindowSize({22 * em(), ImGui::GetIO().DisplaySize.y - 2 * em()},
                                 ImGuiCond_FirstUseEver);
        if (ImGui::Begin("Saccade", &state.panels)) {
            ImGui::PushItemWidth(-6.5f * em());
            source_and_models(state, report);
            shown(state, report);
            attention(state);
            performance(state, report);
            ImGui::PopItemWidth();
            ImGui::TextDisabled("H: keys");
        }
        ImGui::End();
    }
    if (state.help) help(state);
    status(state, report);
}

}  // namespace saccade
