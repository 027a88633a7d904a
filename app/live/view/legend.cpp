#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "app/draw/colour.h"
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

// Whose attention it is: "detector emoji-detector".
std::string whose(const LiveReport& report, const Looker& looker) {
    if (looker.token == Token::word) return "captioner " + report.captioner.name;
    if (looker.token == Token::query || looker.of_detector)
        return "detector " + report.detector.name;
    return "classifier " + report.classifier.name;
}

std::string which(const AttentionSeen& seen) {
    if (seen.looker.token == Token::phrase)
        return "how much each patch is like a phrase";
    if (seen.rolled_out) return "rollout through " + std::to_string(seen.layers) + " layers";
    const std::string layer =
        "layer " + std::to_string(seen.layer) + " of 0-" + std::to_string(seen.layers - 1) + ", ";
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

std::string from(const LiveView& view, const AttentionSeen& seen) {
    const Looker& looker = seen.looker;
    switch (looker.token) {
        case Token::word:
            for (const CaptionWord& word : view.words)
                if (word.first == looker.first_id) return "from the word \"" + word.text + "\"";
            return "from a word of the caption";
        case Token::query:
            for (const Detection& d : view.scene.detections)
                if (d.query == looker.query && d.id < view.report.labels.size())
                    return "from the object \"" + view.report.labels[d.id] + "\", found with " +
                           percent(double(d.score));
            return "from query " + std::to_string(looker.query) + ", which found nothing";
        case Token::patch: {
            const glm::ivec2 cell = seen.cell();
            return "from the patch in row " + std::to_string(cell.y) + ", column " +
                   std::to_string(cell.x);
        }
        case Token::phrase: {
            const bool detector = looker.of_detector;
            const std::vector<std::string>& read = detector ? view.report.detector.prompts
                                                            : view.report.classifier.prompts;
            if (seen.mode == AttentionMode::grid || looker.phrase >= read.size()) return "each phrase";
            return "the phrase \"" + read[looker.phrase] + "\"";
        }
        default:
            return "from the class token";
    }
}

// The colours as they lie over the picture, with what they stand for.
void draw_scale(ImDrawList& list, ImVec2 at, float width, float most) {
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
    list.AddText({at.x, below}, ink, "0");
    const std::string middle = percent(double(most) / 2), last = percent(double(most));
    list.AddText({at.x + (width - ImGui::CalcTextSize(middle.c_str()).x) / 2, below}, ink,
                 middle.c_str());
    list.AddText({at.x + width - ImGui::CalcTextSize(last.c_str()).x, below}, ink, last.c_str());
}

void mark_patch(const ViewInput& in, const AttentionSeen& seen, ImDrawList& list) {
    if (seen.looker.token != Token::patch || in.view.scene.tiles) return;
    const Rectangle patch = seen.patch();
    const ImVec2 a = on_screen(in, patch.min), b = on_screen(in, patch.max);
    list.AddRect(a, b, IM_COL32(0, 0, 0, 200), 0, 0, 3);
    list.AddRect(a, b, IM_COL32(255, 255, 255, 255), 0, 0, 1);
}

// The upper corner of the view, left or right, where it covers less of the boxes' labels.
ImVec2 legend_corner(const ViewInput& in, glm::vec2 size) {
    const float margin = 0.3f * em();
    const glm::vec2 corners[] = {in.room.min + margin,
                                 {in.room.max.x - size.x - margin, in.room.min.y + margin}};
    const glm::vec2* best = &corners[0];
    float least = FLT_MAX;
    for (const glm::vec2& corner : corners) {
        float covered = 0;
        for (const Detection& d : in.view.scene.detections) {
            const ImVec2 at = on_screen(in, d.box.min);
            const float across =
                std::min(corner.x + size.x, at.x + 6 * em()) - std::max(corner.x, at.x);
            const float down =
                std::min(corner.y + size.y, at.y + 2 * em()) - std::max(corner.y, at.y - 2 * em());
            if (across > 0 && down > 0) covered += across * down;
        }
        if (covered >= least) continue;
        least = covered;
        best = &corner;
    }
    return {best->x, best->y};
}

}  // namespace

void draw_legend(const ViewInput& in) {
    if (!in.view.attention) return;
    const AttentionSeen& seen = *in.view.attention;
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    mark_patch(in, seen, list);
    const std::string on_picture = percent(double(seen.on_picture));
    std::vector<std::string> lines{whose(in.view.report, seen.looker), which(seen),
                                   from(in.view, seen)};
    const bool looks = seen.looker.token != Token::phrase;
    if (looks) lines.push_back(on_picture + " of its attention is on the picture");
    // A small picture is not to disappear behind it.
    if (in.picture.max.y - in.picture.min.y < 24 * em())
        lines = {which(seen),
                 from(in.view, seen) + (looks ? ", " + on_picture + " on the picture" : "")};
    const float margin = 0.4f * em(), line_height = 1.15f * em();
    float width = 12 * em();
    for (const std::string& line : lines)
        width = std::max(width, ImGui::CalcTextSize(line.c_str()).x);
    width = std::min(width, in.picture.max.x - in.picture.min.x - 4 * margin);
    if (width <= 0) return;
    const float height = float(lines.size()) * line_height + 2.2f * em() + margin;
    const ImVec2 corner = legend_corner(in, {width + 2 * margin, height});
    list.AddRectFilled(corner, {corner.x + width + 2 * margin, corner.y + height},
                       IM_COL32(16, 16, 20, 190));
    list.PushClipRect(corner, {corner.x + width + 2 * margin, corner.y + height}, true);
    ImVec2 at{corner.x + margin, corner.y + margin};
    for (const std::string& line : lines) {
        list.AddText(at, IM_COL32(235, 235, 235, 255), line.c_str());
        at.y += line_height;
    }
    draw_scale(list, {at.x, at.y + 0.2f * em()}, width,
               in.state.attention.fixed_scale ? 1 : seen.largest);
    list.PopClipRect();
}

}  // namespace saccade
