#version 460
// Lays out the detections: of the rows that score above a threshold in a class that is shown,
// the best `most`. found (rows, 7): left, top, right, bottom, score, class, query; runs: the labels
// of the classes, then "0%" to "100%". Makes a list of 3 n plates: n boxes, then n times a label and
// its score, each from the worst to the best, so that the best lies on top.
// A label lies above its box, or where it covers least of the labels of better boxes. What is not a
// number, or lies outside of the frame, is not drawn. One workgroup in all: every thread ranks its
// rows, then all place the labels together, the best first.
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) readonly buffer Found { vec4 found[]; };
layout(binding = 1) readonly buffer Settings { BoxSettings s; uint shown[]; };
layout(binding = 2) readonly buffer Runs { Run runs[]; };
layout(binding = 3) coherent buffer Plates { uint plate_count, unused[3]; Plate plates[]; };
layout(push_constant) uniform Push { BoxPlatesParams p; };

const uint places = 5;
shared uint covered[places];

// The box within the frame; what is left of one that lies outside has no area.
vec4 box_of(uint row) {
    const vec4 box = found[row_start(p.found, 0, row) / 4];
    const vec2 most = vec2(p.width, p.height);
    return vec4(clamp(round(box.xy), vec2(0.0), most), clamp(round(box.zw), vec2(0.0), most));
}
vec2 score_and_class(uint row) { return found[row_start(p.found, 0, row) / 4 + 1].xy; }
// Rows may be in another order than the queries that they are of.
bool is_selected(uint row) {
    return s.selected != no_query && found[row_start(p.found, 0, row) / 4 + 1].z == float(s.selected);
}

bool is_shown(uint row) {
    const vec2 what = score_and_class(row);
    const vec4 box = found[row_start(p.found, 0, row) / 4];
    if (!(what.x > s.threshold) || !(what.y >= 0.0 && what.y < float(p.classes))) return false;
    if (any(isnan(box)) || any(isinf(box)) || shown[uint(what.y)] == 0) return false;
    const vec4 inside = box_of(row);
    return inside.x < inside.z && inside.y < inside.w;
}

vec4 rectangle(uint plate) {
    return vec4(plates[plate].left, plates[plate].top, plates[plate].right, plates[plate].bottom);
}
void put(uint plate, vec2 corner, vec2 size, float indent) {
    plates[plate].left = corner.x;
    plates[plate].top = corner.y;
    plates[plate].right = corner.x + size.x;
    plates[plate].bottom = corner.y + size.y;
    plates[plate].text_x = int(corner.x + indent);
    plates[plate].text_y = int(corner.y) + int(p.style.margin / 2);
}

float overlap(vec4 a, vec4 b) {
    const vec2 size = max(min(a.zw, b.zw) - max(a.xy, b.xy), 0.0);
    return size.x * size.y;
}

// Where a label of this size may lie, by preference: above the box, inside at its top, below, inside
// at its bottom, above at its right. x < 0: it does not fit there.
vec4 label_at(uint place, vec4 box, vec2 size) {
    const float tops[places] = float[](box.y - size.y, box.y, box.w, box.w - size.y, box.y - size.y);
    const float most_left = max(float(p.width) - size.x, 0.0);
    const float most_top = max(float(p.height) - size.y, 0.0);
    if (place != 1 && (tops[place] < 0.0 || tops[place] > most_top)) return vec4(-1.0);
    const float top = min(tops[place], most_top);  // inside at the top there is always room
    const float left = clamp(place == 4 ? box.z - size.x : box.x, 0.0, most_left);
    return vec4(left, top, left + size.x, top + size.y);
}

void main() {
    const uint me = gl_LocalInvocationID.x;
    const float margin = float(p.style.margin), height = float(p.style.line) + margin;
    const uint ink = 0xff141414u;

    uint count = 0;
    for (uint i = 0; i < p.queries; ++i) count += is_shown(i) ? 1 : 0;
    count = min(count, s.most);
    if (me == 0) plate_count = 3 * count;
    for (uint row = me; row < p.queries; row += THREADS) {
        if (!is_shown(row)) continue;
        const vec2 what = score_and_class(row);
        uint rank = 0;
        for (uint i = 0; i < p.queries; ++i) {
            const float other = score_and_class(i).x;
            if ((other > what.x || (other == what.x && i < row)) && is_shown(i)) ++rank;
        }
        if (rank >= count) continue;
        const uint at = count - 1 - rank;

        const uint label = uint(what.y);
        const uint percent = p.classes + uint(round(100.0 * clamp(what.x, 0.0, 1.0)));
        const uint colour = runs[label].colour;
        const bool selected = is_selected(row);
        const vec4 box = box_of(row);
        plates[at] = Plate(box.x, box.y, box.z, box.w, 0, selected ? 0xffffffffu : colour, 0,
                           float(p.style.frame_width) * (selected ? 2.0 : 1.0), 0.0, no_run, 0, 0);
        // What stands in the label and how wide that is; its place follows. A name that is too long
        // for the frame loses its end.
        const uint fill = (colour & 0xffffffu) | p.style.plate << 24;
        const float score_width = float(runs[percent].width) + margin;
        const float name_width = min(float(runs[label].width) + 2.0 * margin,
                                     max(float(p.width) - score_width, 0.0));
        plates[count + 2 * at] = Plate(0, 0, name_width, height, fill, 0, ink, 0.0, 0.0, label, 0, 0);
        plates[count + 2 * at + 1] =
            Plate(0, 0, score_width, height, fill, 0, ink, 0.0, 0.0, percent, 0, 0);
    }
    memoryBarrierBuffer();
    barrier();

    for (uint rank = 0; rank < count; ++rank) {
        const uint at = count - 1 - rank, label = count + 2 * at;
        const vec4 box = rectangle(at);
        const float name_width = plates[label].right;
        const vec2 size = vec2(name_width + plates[label + 1].right, height);
        for (uint place = me; place < places; place += THREADS) covered[place] = 0;
        barrier();
        for (uint better = me; better < rank; better += THREADS) {
            const uint taken = count + 2 * (count - 1 - better);
            const vec4 other = vec4(rectangle(taken).xy, rectangle(taken + 1).zw);
            for (uint place = 0; place < places; ++place)
                atomicAdd(covered[place], uint(overlap(label_at(place, box, size), other)));
        }
        barrier();
        uint best = 1, least = 0xffffffffu;
        for (uint place = 0; place < places; ++place)
            if (label_at(place, box, size).x >= 0.0 && covered[place] < least) {
                best = place;
                least = covered[place];
            }
        barrier();
        if (me == 0) {
            const vec2 corner = label_at(best, box, size).xy;
            put(label, corner, vec2(name_width, height), margin);
            put(label + 1, corner + vec2(name_width, 0.0), vec2(size.x - name_width, height), 0.0);
        }
        memoryBarrierBuffer();
        barrier();
    }
}
