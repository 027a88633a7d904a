#include "app/live/view/view.h"

#include <algorithm>
#include <cstdio>

#include "app/live/keys.h"
#include "app/live/view/widgets.h"

namespace saccade {

ViewLayout layout_for(const LiveState& state, const LiveReport& report) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const PlayerReport& player = report.player;
    return lay_out({.window = {size.x, size.y},
                    .em = em(),
                    .panel = state.panels,
                    .player = !player.live && !player.still});
}

ImVec2 on_screen(const ViewInput& in, glm::vec2 pixel) {
    const glm::vec2 part = pixel / glm::vec2(in.view.scene.picture);
    const glm::vec2 at = in.first.picture.min + part * in.first.picture.size();
    return {at.x, at.y};
}

std::pair<ViewInput::Place, std::optional<ViewInput::Place>> places_of(const LiveScene& scene,
                                                                       const Rectangle& room,
                                                                       glm::vec2 dots) {
    const Placement& place = scene.place;
    const glm::vec2 corner(place.left, place.top), size(place.width, place.height);
    const Rectangle all(corner / dots, (corner + size) / dots);
    if (!scene.second) return {{all, room}, std::nullopt};
    const auto [second_corner, both] = two_views(scene.picture, scene.second->below);
    auto at = [&](Size pixel) { return all.min + glm::vec2(pixel) / glm::vec2(both) * all.size(); };
    const Rectangle first(all.min, at(scene.picture)), second(at(second_corner), all.max);
    // The room ends between them.
    const glm::vec2 middle = (first.max + second.min) * 0.5f;
    if (scene.second->below)
        return {{first, {room.min, {room.max.x, middle.y}}},
                ViewInput::Place{second, {{room.min.x, middle.y}, room.max}}};
    return {{first, {room.min, {middle.x, room.max.y}}},
            ViewInput::Place{second, {{middle.x, room.min.y}, room.max}}};
}

void draw_view(ViewInput& in, const ViewLayout& layout) {
    if (layout.panel.area() > 0) draw_side_panel(in, layout.panel);
    if (layout.player.area() > 0) draw_player(in, layout.player);
    draw_status(in, layout.status);
    if (area(in.view.scene.picture) == 0)
        draw_start_page(in, layout.picture);
    else
        draw_legends(in);
    draw_drawn_box(in);
    draw_regions(in);
    if (in.state.help) draw_keys(in.state);
}

void draw_keys(LiveState& state) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowSizeConstraints({0, 0}, {size.x, size.y});
    ImGui::SetNextWindowBgAlpha(1);  // what lies below would be read along
    if (ImGui::Begin("Keys", &state.help,
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                         ImGuiWindowFlags_NoCollapse) &&
        ImGui::BeginTable("keys", 3)) {
        auto row = [](const char* key, const char* name, const char* what) {
            for (const char* cell : {key, name, what}) {
                ImGui::TableNextColumn();
                ImGui::TextUnformatted(cell);
            }
        };
        for (const KeyBinding& binding : key_bindings())
            row(binding.keys, binding.name, binding.what);
        row("mouse", "attention", "where does the patch under it look?");
        row("click", "hold", "keeps the object, the word or the patch that looks");
        ImGui::EndTable();
    }
    ImGui::End();
}

// What is going on, in one line, whether or not the panel is shown.
void draw_status(const ViewInput& in, const Rectangle& place) {
    const LiveState& state = in.state;
    const LiveReport& report = in.view.report;
    begin_part("##status", place,
               ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoNav);
    bool first = true;
    auto say = [&](const std::string& part, bool important = false) {
        if (part.empty()) return;
        if (!first) ImGui::SameLine(0, 1.5f * em());
        first = false;
        if (important)
            ImGui::TextColored({1.0f, 0.6f, 0.3f, 1.0f}, "%s", part.c_str());
        else
            text(part);
    };
    if (state.frozen) say(report.player.live ? "frozen" : "paused", true);
    if (state.recording) {
        char seconds[48];
        std::snprintf(seconds, sizeof seconds, "recording %.0f s", report.recorded_seconds);
        say(seconds, true);
    }
    if (state.view_recording) say("recording the view", true);
    // Without a picture, the page in its place says it.
    if (area(in.view.scene.picture) > 0) say(report.source_state, true);
    say(report.notice);
    if (!state.panels) say(in.view.likely);
    const bool points =
        state.pointer && in.view.attention && state.attention.mode != AttentionMode::colours;
    if (holds(state))
        say("held; click again or press Esc to let go");
    else if (points && !state.knows_holding && in.view.attention->similarity)
        say("how much each patch is like the one under the mouse; click to hold it, A for maps");
    else if (points && !state.knows_holding)
        say(std::string("where the ") + (state.word ? "word" : "patch") +
            " under the mouse looks; click to hold it, A for other maps");
    else if (first)
        say("H: keys");
    end_part();
}

}  // namespace saccade
