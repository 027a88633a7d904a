#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <glm/common.hpp>
#include <string>
#include <vector>

#include "app/draw/colour.h"
#include "app/draw/labels.h"
#include "app/draw/point_marks.h"
#include "app/draw/signed_map.h"
#include "app/live/view/cause/cause_panel.h"
#include "app/live/view/view.h"
#include "app/live/view/widgets.h"

namespace saccade {

namespace {

using Token = Looker::Token;

std::string percent(double part) {
    char out[16];
    std::snprintf(out, sizeof out, part < 0.095 ? "%.1f %%" : "%.0f %%", 100 * part);
    return out;
}

// The model of the maps: "detector emoji-detector".
std::string whose(const Status& status, const Looker& looker) {
    const std::string task = task_of(looker);
    const ModelStatus& model = task == "captioner"  ? status.captioner
                               : task == "detector" ? status.detector
                                                    : status.classifier;
    return task + " " + model.name;
}

std::string which(const AttentionSeen& seen) {
    if (seen.looker.token == Token::phrase) return "how much each patch is like a phrase";
    if (seen.coloured) return "main components of the patches' features, without 2 % at either end";
    if (seen.similarity) return "how much each patch is like it: cosine of features";
    if (seen.rolled_out) return "rollout through " + std::to_string(seen.layers) + " layers";
    const std::string layer =
        "layer " + std::to_string(seen.layer) +
        (seen.layers > 1 ? " of 0-" + std::to_string(seen.layers - 1) : " (the only one)") + ", ";
    switch (seen.mode) {
        case AttentionMode::head:
            return layer + "head " + std::to_string(seen.head) + " of 0-" +
                   std::to_string(seen.heads - 1);
        case AttentionMode::max:
            return layer + "greatest of " + std::to_string(seen.heads) + " heads";
        case AttentionMode::grid:
            return layer + "heads 0-" + std::to_string(seen.heads - 1);
        default:
            return layer + "mean of " + std::to_string(seen.heads) + " heads";
    }
}

// "bed" 58 %, or "couch" 52 %
std::string named(const ViewInput& in, const Detection& one) {
    const std::vector<std::string>& labels = in.view.labels->detector;
    std::vector<Detection> all = rivals_of(one, in.view.found);
    all.insert(all.begin(), one);
    std::string names;
    for (const Detection& d : all)
        names +=
            (names.empty() ? "\"" : ", or \"") + labels[d.id] + "\" " + percent(double(d.score));
    return names;
}

std::string from(const ViewInput& in, const AttentionSeen& seen) {
    const LiveView& view = in.view;
    const Looker& looker = seen.looker;
    switch (looker.token) {
        case Token::word:
            for (const CaptionWord& word : view.words)
                if (word.first == looker.first_id)
                    return "from the word \"" + word.text + "\", written with " + percent(word.p);
            return "from a word of the caption";
        case Token::query:
            for (const Detection& d : view.found)
                if (d.query == looker.query) return "from the object " + named(in, d);
            return "from query " + std::to_string(looker.query) + ", which found nothing";
        case Token::patch: {
            const glm::ivec2 cell = seen.cell();
            return "from the patch in row " + std::to_string(cell.y + 1) + ", column " +
                   std::to_string(cell.x + 1) +
                   (seen.window ? ", which sees the yellow window" : "");
        }
        case Token::phrase: {
            const bool detector = looker.of_detector;
            const std::vector<std::string>& read = detector ? in.session.status.detector.prompts
                                                            : in.session.status.classifier.prompts;
            if (seen.mode == AttentionMode::grid || looker.phrase >= read.size())
                return "each phrase";
            return "the phrase \"" + read[looker.phrase] + "\"";
        }
        case Token::everywhere:
            return "alike in colour, alike to the model";
        default:
            return "from the class token";
    }
}

// One of the two views.
struct Legend {
    const ViewInput& in;
    const ViewInput::Place& place;
    const std::optional<AttentionSeen>& seen;
    bool tiled, second;

    const std::optional<CauseSeen>& cause() const { return in.session.status.causes[second]; }
    bool shows_cause() const { return seen && seen->mode == AttentionMode::cause; }

    ImVec2 on_screen(glm::vec2 pixel) const {
        const glm::vec2 part = pixel / glm::vec2(in.view.scene.picture);
        const glm::vec2 at = place.picture.min + part * place.picture.size();
        return {at.x, at.y};
    }
};

// The colours over the picture, with their values.
void draw_scale(ImDrawList& list, ImVec2 at, float width, float least, float most) {
    static const std::array<uint32_t, 256> colours = heat_colours();
    const float height = 0.6f * em();
    const int steps = 48;
    for (int i = 0; i < steps; ++i) {
        const uint32_t colour = colours[static_cast<size_t>(i * 255 / (steps - 1))] | 0xff000000u;
        list.AddRectFilled({at.x + width * float(i) / steps, at.y},
                           {at.x + width * float(i + 1) / steps, at.y + height}, colour);
    }
    const float below = at.y + height + 0.1f * em();
    const ImU32 ink = IM_COL32(235, 235, 235, 255);
    const std::string first = least > 0 ? percent(double(least)) : "0";
    list.AddText({at.x, below}, ink, first.c_str());
    const std::string middle = percent(double(least + most) / 2), last = percent(double(most));
    list.AddText({at.x + (width - ImGui::CalcTextSize(middle.c_str()).x) / 2, below}, ink,
                 middle.c_str());
    list.AddText({at.x + width - ImGui::CalcTextSize(last.c_str()).x, below}, ink, last.c_str());
}

// The colours of what holds the target back, and of what it needs.
void draw_effect_scale(ImDrawList& list, ImVec2 at, float width, float most) {
    const float height = 0.6f * em();
    const int steps = 48;
    for (int i = 0; i < steps; ++i) {
        const ImVec2 from{at.x + width * float(i) / steps, at.y};
        const ImVec2 to{at.x + width * float(i + 1) / steps, at.y + height};
        list.AddRectFilled(from, to, IM_COL32(90, 90, 90, 255));
        list.AddRectFilled(from, to, effect_colour(2.0 * i / (steps - 1) - 1));
    }
    char last[48];
    std::snprintf(last, sizeof last, "needs it: %.2g", double(most));
    const float below = at.y + height + 0.1f * em();
    const ImU32 ink = IM_COL32(235, 235, 235, 255);
    list.AddText({at.x, below}, ink, "holds it back");
    list.AddText({at.x + width - ImGui::CalcTextSize(last).x, below}, ink, last);
}

void mark(const Legend& legend, ImDrawList& list, const Rectangle& place, ImU32 colour) {
    const ImVec2 a = legend.on_screen(place.min), b = legend.on_screen(place.max);
    list.AddRect(a, b, IM_COL32(0, 0, 0, 200), 0, 0, 3);
    list.AddRect(a, b, colour, 0, 0, 1);
}

// The patch whose attention is shown, and its window where attention is windowed.
void mark_patch(const Legend& legend, ImDrawList& list) {
    if (!legend.seen || legend.seen->looker.token != Token::patch || legend.tiled ||
        legend.shows_cause())
        return;
    if (legend.seen->window) mark(legend, list, *legend.seen->window, IM_COL32(255, 205, 80, 255));
    mark(legend, list, legend.seen->patch(), IM_COL32(255, 255, 255, 255));
}

// The borders of all patches, which may reach beyond the picture.
void draw_grid(const Legend& legend, ImDrawList& list) {
    if (!legend.in.session.wishes.window.grid || !legend.seen || legend.tiled) return;
    const auto& [grid, corner, cell] = legend.seen->geometry;
    const Rectangle& picture = legend.place.picture;
    const auto line = [&](glm::vec2 from, glm::vec2 to) {
        list.AddLine(legend.on_screen(corner + from * cell), legend.on_screen(corner + to * cell),
                     IM_COL32(255, 255, 255, 90));
    };
    list.PushClipRect({picture.min.x, picture.min.y}, {picture.max.x, picture.max.y}, true);
    for (uint32_t x = 0; x <= grid.x; ++x) line({x, 0}, {x, grid.y});
    for (uint32_t y = 0; y <= grid.y; ++y) line({0, y}, {grid.x, y});
    list.PopClipRect();
}

// A cross at the pixel that the mouse points at in the other view.
void mirror_pointer(const Legend& legend, ImDrawList& list) {
    const Session& session = legend.in.session;
    if (!legend.in.second || !session.pointer.target.point ||
        session.pointer.over_second == legend.second || legend.tiled)
        return;
    const ImVec2 at = legend.on_screen(*session.pointer.target.point);
    const float arm = 0.6f * em();
    for (const auto& [colour, width] :
         {std::pair{IM_COL32(0, 0, 0, 200), 3.0f}, std::pair{IM_COL32(255, 255, 255, 255), 1.0f}}) {
        list.AddLine({at.x - arm, at.y}, {at.x + arm, at.y}, colour, width);
        list.AddLine({at.x, at.y - arm}, {at.x, at.y + arm}, colour, width);
    }
}

// Of a view without a target, beside another one.
std::string title(const Legend& legend) {
    const Session& session = legend.in.session;
    if (legend.second && session.wishes.look.second.kind == SecondView::Kind::bare)
        return title_of(SecondView::Kind::bare);
    const AttentionState& attention =
        legend.second ? session.wishes.look.second.attention : session.wishes.look.attention;
    if (attention.mode == AttentionMode::off) return "no maps";
    const MapModel of =
        legend.second ? session.wishes.look.second.model : session.wishes.look.model;
    const ModelStatus& model = of == MapModel::detector ? legend.in.session.status.detector
                                                        : legend.in.session.status.classifier;
    return std::string(name_of(of)) + " " + model.name + ", " + title_of(attention.mode);
}

std::vector<std::string> lines_of(const Legend& legend) {
    const ViewInput& in = legend.in;
    if (legend.cause() && (!legend.seen || legend.shows_cause())) {
        const CauseSeen& cause = *legend.cause();
        if (legend.seen && legend.place.picture.size().y < 14 * em())
            return {shortly(*legend.seen)};
        std::vector<std::string> lines = lines_of(cause);
        const std::chrono::duration<double> age = in.view.captured - cause.captured;
        if (age.count() > 0.05 && !cause.cells.empty()) {
            char text[64];
            std::snprintf(text, sizeof text, "of the picture %.1f s before", age.count());
            lines.push_back(text);
        }
        return lines;
    }
    if (!legend.seen) return {title(legend)};
    const AttentionSeen& seen = *legend.seen;
    if (legend.shows_cause()) return {shortly(seen)};  // of a moment ago
    // The greatest of several heads is no distribution.
    const bool looks = seen.looker.token != Token::phrase && !seen.similarity && !seen.coloured &&
                       (seen.mode != AttentionMode::max || seen.rolled_out);
    const std::string on_picture = percent(double(seen.on_picture));
    const float height = legend.place.picture.size().y;
    // A small picture stays visible.
    if (height < 14 * em()) return {shortly(seen)};
    // In the tour it is short, and as high for a word as for a box: labels stay where they are.
    if (height >= 24 * em() && !in.tour) {
        std::vector<std::string> lines{whose(in.session.status, seen.looker), which(seen),
                                       from(in, seen)};
        if (looks) lines.push_back(on_picture + " of its attention is on the picture");
        if (!seen.levels.empty()) lines.push_back("points on " + levels_text(seen.levels));
        if (seen.limited) lines.push_back("a few outliers are far beyond the scale");
        return lines;
    }
    if (in.second) return {whose(in.session.status, seen.looker), which(seen)};
    return {task_of(seen.looker) + ", " + which(seen),
            from(in, seen) + (looks ? ", " + on_picture + " on the picture" : "") +
                (seen.limited ? ", outliers beyond the scale" : "")};
}

// Where it lies in the view: texts on the picture leave this free. A width in few steps does not
// have them placed anew with every word that changes.
Rectangle part_of_view(const Rectangle& view, ImVec2 corner, glm::vec2 size) {
    const float step = 4 * em();
    const glm::vec2 from(corner.x, corner.y);
    const glm::vec2 to = from + glm::vec2(std::ceil(size.x / step) * step, size.y);
    const Rectangle part(glm::clamp((from - view.min) / view.size(), 0.0f, 1.0f),
                         glm::clamp((to - view.min) / view.size(), 0.0f, 1.0f));
    return part.area() > 0 ? part : Rectangle();
}

// Returns where it lies in the view.
Rectangle draw_legend(const Legend& legend) {
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    draw_grid(legend, list);
    mark_patch(legend, list);
    mirror_pointer(legend, list);
    if (!legend.seen && !legend.in.second && !legend.cause()) return {};
    const float margin = 0.4f * em(), line_height = 1.15f * em();
    const float room = legend.place.room.size().x - 4 * margin;
    std::vector<std::string> lines = lines_of(legend);
    auto widest = [&] {
        float most = legend.seen ? 12 * em() : 0;
        for (const std::string& line : lines)
            most = std::max(most, ImGui::CalcTextSize(line.c_str()).x);
        return most;
    };
    if (legend.seen && widest() > room) lines = {shortly(*legend.seen)};
    const float width = std::min(widest(), room);
    if (width <= 0) return {};
    const bool scaled = legend.seen && !legend.seen->coloured;
    const float scale = scaled ? 2.2f * em() : margin;
    const float height = float(lines.size()) * line_height + scale + margin;
    const glm::vec2 at_corner = legend.place.room.min + 0.3f * em();
    const ImVec2 corner{at_corner.x, at_corner.y};
    list.AddRectFilled(corner, {corner.x + width + 2 * margin, corner.y + height},
                       IM_COL32(16, 16, 20, 190));
    list.PushClipRect(corner, {corner.x + width + 2 * margin, corner.y + height}, true);
    ImVec2 at{corner.x + margin, corner.y + margin};
    for (const std::string& line : lines) {
        list.AddText(at, IM_COL32(235, 235, 235, 255), line.c_str());
        at.y += line_height;
    }
    const bool fixed = legend.in.session.wishes.look.attention.fixed_scale;
    if (legend.shows_cause())
        draw_effect_scale(list, {at.x, at.y + 0.2f * em()}, width,
                          largest_effect(legend.seen->cells));
    else if (scaled)
        draw_scale(list, {at.x, at.y + 0.2f * em()}, width,
                   legend.seen->similarity && !fixed ? std::max(legend.seen->smallest, 0.0f) : 0,
                   fixed ? 1 : legend.seen->largest);
    list.PopClipRect();
    return part_of_view(legend.place.picture, corner, {width + 2 * margin, height});
}

}  // namespace

void draw_legends(const ViewInput& in) {
    const LiveScene& scene = in.view.scene;
    std::array<Rectangle, 2>& places = in.session.wishes.look.legends;
    places = {};
    places[0] = draw_legend({in, in.first, in.view.attention, scene.tiles.has_value(), false});
    if (in.second)
        places[1] = draw_legend(
            {in, *in.second, in.view.second_attention, scene.second->tiles.has_value(), true});
}

Rectangle draw_invitation(const ViewInput& in) {
    const char* const line = "move the mouse: where does this patch look?";
    const ImVec2 size = ImGui::CalcTextSize(line);
    const Rectangle& picture = in.first.picture;
    const float margin = 0.5f * em();
    // Above the caption.
    float bottom = picture.max.y - margin;
    for (const Rectangle& word : in.view.scene.words)
        bottom = std::min(bottom, on_screen(in, word.min).y - 2 * margin);
    const ImVec2 at{(picture.min.x + picture.max.x - size.x) / 2, bottom - size.y - margin};
    const ImVec2 corner{at.x - margin, at.y - margin};
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    list.AddRectFilled(corner, {at.x + size.x + margin, bottom}, IM_COL32(16, 16, 20, 190), margin);
    list.AddText(at, IM_COL32(255, 205, 80, 255), line);
    return part_of_view(picture, corner, {size.x + 2 * margin, size.y + 2 * margin});
}

}  // namespace saccade
