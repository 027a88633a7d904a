#include "app/live/view/wall_view.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "app/live/view/widgets.h"

namespace saccade {

namespace {

// The clock's time of a picture.
std::string time_of(std::chrono::steady_clock::time_point captured) {
    const auto ago = std::chrono::steady_clock::now() - captured;
    const std::time_t then = std::chrono::system_clock::to_time_t(
        std::chrono::system_clock::now() -
        std::chrono::duration_cast<std::chrono::system_clock::duration>(ago));
    std::tm local{};
    ::localtime_r(&then, &local);
    char text[16];
    std::strftime(text, sizeof text, "%H:%M:%S", &local);
    return text;
}

std::string state_of(const TileView& tile) {
    if (!tile.state.empty()) return "no picture since " + time_of(tile.newest) + ": " + tile.state;
    return area(tile.scene.picture) > 0 ? "" : "waiting for the first picture";
}

// What a source is called, and how many of its frames are shown.
std::string title_of(const TileView& tile) {
    if (!tile.state.empty() || tile.dropped == 0) return tile.name;
    char rate[64];
    std::snprintf(rate, sizeof rate, "  %.1f/s, %llu dropped", tile.rate,
                  static_cast<unsigned long long>(tile.dropped));
    return tile.name + rate;
}

float margin() { return 0.35f * em(); }

}  // namespace

Rectangle place_of(const LiveView& view, size_t tile) {
    const Placement& all = view.scene.place;
    const WindowTile& t = view.tiles[tile].tile;
    const glm::vec2 scale =
        glm::vec2(all.width, all.height) / glm::vec2(std::max(t.all.x, 1u), std::max(t.all.y, 1u));
    const glm::vec2 corner = glm::vec2(all.left, all.top) + glm::vec2(t.corner) * scale;
    return {corner, corner + glm::vec2(t.size) * scale};
}

Placement picture_in(const LiveView& view, size_t tile) {
    const Rectangle place = place_of(view, tile);
    Placement picture = fitted(view.tiles[tile].scene.picture, Size(place.size()));
    picture.left += static_cast<int>(place.min.x);
    picture.top += static_cast<int>(place.min.y);
    return picture;
}

float name_bar() { return em() + 2 * margin(); }

void draw_wall(const ViewInput& in) {
    constexpr ImU32 plate = IM_COL32(16, 16, 20, 200);
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    const ImVec2 dots = ImGui::GetIO().DisplayFramebufferScale;
    const size_t chosen = in.session.wishes.wall.subject();
    for (size_t i = 0; i < in.view.tiles.size(); ++i) {
        const TileView& tile = in.view.tiles[i];
        const Rectangle pixels = place_of(in.view, i);
        const ImVec2 from{pixels.min.x / dots.x, pixels.min.y / dots.y};
        const ImVec2 to{pixels.max.x / dots.x, pixels.max.y / dots.y};
        list.PushClipRect(from, to, true);
        // At the top: captions are at the bottom.
        const std::string title = title_of(tile), state = state_of(tile);
        const float width = ImGui::CalcTextSize(title.c_str()).x + 2 * margin();
        list.AddRectFilled(from, {from.x + width, from.y + name_bar()}, plate);
        list.AddText({from.x + margin(), from.y + margin()}, IM_COL32(255, 255, 255, 255),
                     title.c_str());
        if (!state.empty()) {
            const float top = from.y + name_bar(), wrap = to.x - from.x - 2 * margin();
            const ImVec2 size = ImGui::CalcTextSize(state.c_str(), nullptr, false, wrap);
            list.AddRectFilled({from.x, top}, {to.x, top + size.y + 2 * margin()}, plate);
            list.AddText(nullptr, 0, {from.x + margin(), top + margin()},
                         IM_COL32(255, 160, 90, 255), state.c_str(), nullptr, wrap);
        }
        if (i == chosen) list.AddRect(from, to, IM_COL32(255, 205, 80, 255), 0, 0, 0.15f * em());
        list.PopClipRect();
    }
}

}  // namespace saccade
