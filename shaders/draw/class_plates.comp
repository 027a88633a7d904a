#version 460
// Lays out the likeliest classes: a panel with a line for each of the best classes: its
// name, its score in percent, and a bar as long as its score. scores and ids (1, ranks), the best
// first; runs: the names of the classes, then "0%" to "100%". Makes a list of 1 + 4 n plates: the
// panel, then for each class a track, a bar, a name and a score. One thread per rank.
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer Scores { float scores[]; };
layout(binding = 1) readonly buffer Ids { uint ids[]; };
layout(binding = 2) readonly buffer Settings { ClassSettings s; };
layout(binding = 3) readonly buffer Runs { Run runs[]; };
layout(binding = 4) writeonly buffer Plates { uint plate_count, unused[3]; Plate plates[]; };
layout(push_constant) uniform Push { ClassPlatesParams p; };

void main() {
    const uint rank = gl_GlobalInvocationID.x;
    const uint count = min(p.ranks, s.most);
    const float margin = float(p.style.margin), line = float(p.style.line);
    const float bar_height = float(class_bar(p.style)), row_height = float(class_row(p.style));
    if (rank == 0) {
        plate_count = count > 0 ? 1 + 4 * count : 0;
        plates[0] = Plate(p.left, p.top, p.left + p.width,
                          p.top + float(count) * row_height + 2.0 * margin, p.paper, 0, 0, 0.0,
                          2.0 * margin, no_run, 0, 0);
    }
    if (rank >= count) return;

    const float score = scores[row_start(p.scores, 0, 0) + rank];
    const uint id = ids[row_start(p.ids, 0, 0) + rank];
    const uint first = 1 + 4 * rank;
    const bool known = id < p.classes && !isnan(score);  // topk may find fewer
    const float part = known ? clamp(score, 0.0, 1.0) : 0.0;
    const uint percent = p.classes + uint(round(100.0 * part));
    const float left = p.left + 2.0 * margin, right = p.left + p.width - 2.0 * margin;
    const float top = p.top + margin + float(rank) * row_height;
    const float bar = top + line, bottom = bar + bar_height;
    const float score_left = right - float(runs[percent].width);
    const uint name = known ? id : no_run, number = known ? percent : no_run;
    const uint track = (p.ink & 0xffffffu) | 0x30000000u;
    const uint colour = known ? runs[id].colour : 0;
    const float radius = 0.5 * bar_height;
    plates[first] = Plate(left, bar, right, bottom, track, 0, 0, 0.0, radius, no_run, 0, 0);
    plates[first + 1] = Plate(left, bar, left + part * (right - left), bottom, colour, 0, 0, 0.0,
                              radius, no_run, 0, 0);
    plates[first + 2] = Plate(left, top, score_left - margin, bar, 0, 0, p.ink, 0.0, 0.0, name,
                              int(left), int(top));
    plates[first + 3] = Plate(score_left, top, right, bar, 0, 0, p.ink, 0.0, 0.0, number,
                              int(score_left), int(top));
}
