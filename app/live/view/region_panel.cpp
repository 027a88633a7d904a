#include <algorithm>
#include <glm/geometric.hpp>
#include <string>

#include "app/live/view/region_editor.h"
#include "app/live/view/view.h"
#include "app/live/view/widgets.h"

namespace saccade {

namespace {

constexpr ImU32 ink = IM_COL32(255, 210, 60, 255), chosen_ink = IM_COL32(255, 120, 40, 255);

void draw_points(const ViewInput& in, const std::vector<glm::vec2>& points, ImU32 colour) {
    for (const glm::vec2& point : points)
        ImGui::GetBackgroundDrawList()->AddCircleFilled(on_screen(in, point), 0.35f * em(), colour,
                                                        12);
}

void draw_line(const ViewInput& in, glm::vec2 from, glm::vec2 to, ImU32 colour) {
    ImGui::GetBackgroundDrawList()->AddLine(on_screen(in, from), on_screen(in, to), colour,
                                            0.15f * em());
}

// An arrow to the side that counts as "in".
void draw_direction(const ViewInput& in, const Region& line, ImU32 colour) {
    const ImVec2 from = on_screen(in, line.corners[0]), to = on_screen(in, line.corners[1]);
    const glm::vec2 way(to.x - from.x, to.y - from.y);
    const float length = std::max(glm::length(way), 1.0f);
    const glm::vec2 middle = glm::vec2(from.x, from.y) + way / 2.0f;
    const glm::vec2 side = glm::vec2(-way.y, way.x) / length, along = way / length;
    const glm::vec2 tip_of = middle + side * (1.6f * em());
    const glm::vec2 left = middle + side * em() - along * (0.5f * em());
    const glm::vec2 right = middle + side * em() + along * (0.5f * em());
    ImDrawList* const list = ImGui::GetBackgroundDrawList();
    list->AddLine({middle.x, middle.y}, {tip_of.x, tip_of.y}, colour, 0.15f * em());
    list->AddTriangleFilled({tip_of.x, tip_of.y}, {left.x, left.y}, {right.x, right.y}, colour);
    list->AddText({tip_of.x + 0.4f * em(), tip_of.y - 0.5f * em()}, colour, "in");
}

void draw_region(const ViewInput& in, const Region& region, ImU32 colour) {
    const size_t edges = region.zone ? region.corners.size() : 1;
    for (size_t i = 0; i < edges; ++i)
        draw_line(in, region.corners[i], region.corners[(i + 1) % region.corners.size()], colour);
    draw_points(in, region.corners, colour);
    if (!region.zone) draw_direction(in, region, colour);
    ImVec2 place = on_screen(in, region.corners[0]);
    place.x += 0.6f * em();
    ImGui::GetBackgroundDrawList()->AddText(place, colour, region.name.c_str());
}

// Name, anchor and buttons of one. False if it is to be removed.
bool edit(Region& region, const Regions& all) {
    std::string name = region.name;
    ImGui::PushItemWidth(8 * em());
    if (wish("##name", name) && !name.empty() &&
        std::ranges::find(all.all, name, &Region::name) == all.all.end())
        region.name = name;
    tip("name: as it stands in events and counts, then Enter; no two have the same");
    ImGui::PopItemWidth();
    ImGui::SameLine();
    ImGui::PushItemWidth(5.5f * em());
    int anchor = static_cast<int>(region.anchor);
    if (ImGui::Combo("##point", &anchor, "bottom\0middle\0top\0"))
        region.anchor = static_cast<Anchor>(anchor);
    tip("bottom, middle, top: the point of a box that counts");
    ImGui::PopItemWidth();
    ImGui::SameLine();
    if (!region.zone) {
        if (ImGui::SmallButton("turn")) std::swap(region.corners[0], region.corners[1]);
        tip("turn: what was in is out");
        ImGui::SameLine();
    }
    const bool stays = !ImGui::SmallButton("x");
    tip("x: removes it");
    return stays;
}

}  // namespace

void draw_regions(const ViewInput& in) {
    if (!in.session.wishes.window.drawing) return in.editor.leave();
    const Regions regions = in.editor.shown(in.session.wishes, in.view.scene.picture);
    for (size_t i = 0; i < regions.all.size(); ++i)
        draw_region(in, regions.all[i], i == in.editor.chosen() ? chosen_ink : ink);
    std::vector<glm::vec2> points = in.editor.sketch();
    draw_points(in, points, chosen_ink);
    if (!points.empty() && in.editor.mouse()) points.push_back(*in.editor.mouse());
    for (size_t i = 1; i < points.size(); ++i) draw_line(in, points[i - 1], points[i], chosen_ink);
}

void draw_region_list(ViewInput& in) {
    Wishes& wishes = in.session.wishes;
    draw_switches(wishes, PanelPart::regions);
    if (wishes.window.drawing) quiet("click points; Enter ends a line (2) or a zone (3 and more)");
    // At most one changes in a frame.
    for (size_t i = 0; i < wishes.regions.all.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        const bool stays = edit(wishes.regions.all[i], wishes.regions);
        ImGui::PopID();
        if (stays) continue;
        wishes.regions.all.erase(wishes.regions.all.begin() + static_cast<std::ptrdiff_t>(i));
        break;
    }
}

}  // namespace saccade
