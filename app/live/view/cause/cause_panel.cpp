#include "app/live/view/cause/cause_panel.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/draw/signed_map.h"

namespace saccade {

namespace {

constexpr ImU32 paper = IM_COL32(62, 62, 68, 255), ink = IM_COL32(235, 235, 235, 255);

template <typename... Values>
std::string printed(const char* format, Values... values) {
    char text[160];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

float largest_of(const std::vector<std::vector<float>>& table) {
    float most = 0;
    for (const std::vector<float>& row : table) most = std::max(most, largest_effect(row));
    return most;
}

// A cell of the table: its colour is the head's effect; a cross means that it is off.
void draw_head(ImVec2 from, ImVec2 to, float part, bool known, bool off, bool hovered) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(from, to, paper);
    if (known) list.AddRectFilled(from, to, effect_colour(double(part)));
    if (off) {
        list.AddLine(from, to, ink, 2);
        list.AddLine({from.x, to.y}, {to.x, from.y}, ink, 2);
    }
    if (hovered) list.AddRect(from, to, ink);
}

// Layers down, heads across.
void draw_heads(HeadsOff& off, const CauseSeen& seen) {
    const uint32_t across = *std::ranges::max_element(seen.heads);
    const float em = ImGui::GetFontSize(), left = 1.6f * em;
    const float width =
        std::min((ImGui::GetContentRegionAvail().x - left) / float(across), 2.2f * em);
    const float height = std::min(width, 1.1f * em);
    const float most = largest_of(seen.effects);
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    for (uint32_t layer = 0; layer < seen.heads.size(); ++layer) {
        const float y = corner.y + float(layer) * height;
        ImGui::GetWindowDrawList()->AddText({corner.x, y}, ink, std::to_string(layer).c_str());
        for (uint32_t head = 0; head < seen.heads[layer]; ++head) {
            const ImVec2 from{corner.x + left + float(head) * width, y};
            const HeadOff one{seen.model, layer, head};
            ImGui::SetCursorScreenPos(from);
            ImGui::PushID(static_cast<int>(layer * across + head));
            if (ImGui::InvisibleButton("head", {width, height}) && off.erase(one) == 0)
                off.insert(one);
            const bool known = layer < seen.effects.size() && head < seen.effects[layer].size();
            const float effect = known ? seen.effects[layer][head] : 0;
            if (ImGui::IsItemHovered())
                ImGui::SetTooltip(
                    "layer %u (%s), head %u: %s\nclick: %s", layer,
                    layer < seen.layers.size() ? seen.layers[layer].c_str() : "", head,
                    known ? printed("%.3g %s", double(effect), seen.unit.c_str()).c_str()
                          : "not known yet",
                    off.contains(one) ? "on again" : "stays off, and the picture shows it");
            draw_head(from, {from.x + width - 2, from.y + height - 2}, most > 0 ? effect / most : 0,
                      known, off.contains(one), ImGui::IsItemHovered());
            ImGui::PopID();
        }
    }
    ImGui::SetCursorScreenPos({corner.x, corner.y + float(seen.heads.size()) * height});
    ImGui::Dummy({1, 0.2f * em});
}

// The score while cells go, in the order of each map; random orders in grey.
void draw_curves(const CauseSeen& seen) {
    const float em = ImGui::GetFontSize();
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const ImVec2 size{ImGui::GetContentRegionAvail().x, 5 * em};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(from, {from.x + size.x, from.y + size.y}, paper);
    float most = 1e-9f;
    for (const CauseSeen::Method& method : seen.methods)
        most = std::max(most, largest_effect(method.deletion));
    for (const std::vector<float>& one : seen.random_deletion)
        most = std::max(most, largest_effect(one));
    const auto draw = [&](const std::vector<float>& curve, ImU32 colour, float thick) {
        const auto at = [&](size_t i) {
            return ImVec2(from.x + size.x * float(i) / float(curve.size() - 1),
                          from.y + size.y * (1 - curve[i] / most));
        };
        for (size_t i = 1; i < curve.size(); ++i) list.AddLine(at(i - 1), at(i), colour, thick);
    };
    for (const std::vector<float>& one : seen.random_deletion)
        draw(one, IM_COL32(150, 150, 150, 160), 1);
    constexpr ImU32 inks[] = {IM_COL32(255, 150, 60, 255), IM_COL32(110, 180, 255, 255)};
    for (size_t i = seen.methods.size(); i-- > 0;)
        draw(seen.methods[i].deletion, inks[i % std::size(inks)], 2);
    ImGui::Dummy(size);
    if (ImGui::IsItemHovered())
        ImGui::SetTooltip(
            "the score while cells are knocked out, those that a map ranks first "
            "first: orange by cause, blue by the other map, grey in random orders");
}

void draw_meter(const CauseSeen& seen) {
    if (seen.methods.empty()) return;
    draw_curves(seen);
    for (const CauseSeen::Method& method : seen.methods) {
        ImGui::TextWrapped("%s: %s", method.name.c_str(), method.words.c_str());
        ImGui::TextDisabled("areas: deletion %.3g, insertion %.3g", method.deletion_area,
                            method.insertion_area);
    }
    ImGui::TextDisabled("random: deletion %.3g, insertion %.3g", seen.random_deletion_area,
                        seen.random_insertion_area);
}

const CauseSeen* first_of(const Status& status) {
    for (const std::optional<CauseSeen>& seen : status.causes)
        if (seen) return &*seen;
    return nullptr;
}

}  // namespace

std::vector<std::string> lines_of(const CauseSeen& seen) {
    if (!seen.trouble.empty())
        return {"what \"" + seen.label + "\" needs cannot be found out: " + seen.trouble};
    const std::string doing = seen.does.empty() ? "" : "; now " + seen.does;
    std::vector<std::string> lines{"what \"" + seen.label +
                                   printed("\" %.0f %% needs, in ", 100 * seen.score) + seen.unit};
    if (seen.cells.empty()) return {"what \"" + seen.label + "\" needs: " + seen.does + " ..."};
    lines.push_back(printed("%u knock-outs of %ux%u cells, noise %.2g", seen.knock_outs,
                            seen.geometry.grid.x, seen.geometry.grid.y, seen.noise) +
                    doing);
    return lines;
}

void draw_cause(Session& session) {
    HeadsOff& off = session.wishes.look.heads_off;
    const CauseSeen* const seen = first_of(session.status);
    if (!seen && off.empty() && !session.wishes.look.meter) return;
    if (!ImGui::CollapsingHeader("Cause", ImGuiTreeNodeFlags_DefaultOpen)) return;
    ImGui::Checkbox("meter (W)", &session.wishes.look.meter);
    if (ImGui::IsItemHovered())
        ImGui::SetTooltip(
            "also of maps of attention: how much of the score the patches carry that "
            "they rank first, beside random ones");
    if (seen) {
        for (const std::string& line : lines_of(*seen)) ImGui::TextWrapped("%s", line.c_str());
        if (!seen->heads.empty()) {
            ImGui::TextDisabled("heads: layers down; click switches off");
            draw_heads(off, *seen);
        } else if (seen->does.empty() && seen->trouble.empty()) {
            ImGui::TextDisabled("the model has no heads that can be switched off");
        }
        draw_meter(*seen);
    }
    if (off.empty()) return;
    ImGui::TextWrapped("off: %s", in_words(off).c_str());
    if (ImGui::Button("heads on")) off.clear();
}

}  // namespace saccade
