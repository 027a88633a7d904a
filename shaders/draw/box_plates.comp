#version 460
// Lays out the detections: of the rows that score above a threshold in a class that is shown,
// the best `most`. found (rows, 7): left, top, right, bottom, score, class, query; runs: the labels
// of the classes, then "0%" to "100%". Writes a list of 3 n plates: n boxes, then n times a label
// and its score, each from the weakest to the strongest, so that the strongest lies on top. Plates
// of boxes that are one thing with a stronger one, and of labels that find no place, have no area:
// labels.h has the rule. Boxes that are not numbers, or lie outside of the frame, are not drawn. One
// workgroup in all: every thread ranks its rows, then all place the labels together, the strongest
// first.
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/labels.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) readonly buffer Found { vec4 found[]; };
layout(binding = 1) readonly buffer Settings { BoxSettings s; uint shown[]; };
layout(binding = 2) readonly buffer Runs { Run runs[]; };
layout(binding = 3) coherent buffer Plates { uint plate_count, unused[3]; Plate plates[]; };
layout(push_constant) uniform Push { BoxPlatesParams p; };

const uint same_thing = 1u << label_places;  // beside the bits of places
shared uint blocked;

Area area_of(vec4 edges) { return Area(edges.x, edges.y, edges.z, edges.w); }
Area area_of(Plate plate) { return Area(plate.left, plate.top, plate.right, plate.bottom); }
Area whole_box(uint row) { return area_of(found[row_start(p.found, 0, row) / 4]); }

// The box clipped to the frame; a box outside of it has no area left.
vec4 box_of(uint row) {
    const vec4 box = found[row_start(p.found, 0, row) / 4];
    const vec2 most = vec2(p.width, p.height);
    return vec4(clamp(round(box.xy), vec2(0.0), most), clamp(round(box.zw), vec2(0.0), most));
}
vec2 score_and_class(uint row) { return found[row_start(p.found, 0, row) / 4 + 1].xy; }
// The order of rows may differ from that of their queries.
bool is_selected(uint row) {
    return s.selected != no_query && found[row_start(p.found, 0, row) / 4 + 1].z == float(s.selected);
}
float strength(uint row) { return score_and_class(row).x + (is_selected(row) ? 2.0 : 0.0); }

bool is_shown(uint row) {
    const vec2 what = score_and_class(row);
    const vec4 box = found[row_start(p.found, 0, row) / 4];
    if (!(what.x > s.threshold) || !(what.y >= 0.0 && what.y < float(p.classes))) return false;
    if (any(isnan(box)) || any(isinf(box)) || shown[uint(what.y)] == 0) return false;
    const vec4 inside = box_of(row);
    return inside.x < inside.z && inside.y < inside.w;
}

void put(uint plate, vec2 corner, vec2 size, float indent) {
    plates[plate].left = corner.x;
    plates[plate].top = corner.y;
    plates[plate].right = corner.x + size.x;
    plates[plate].bottom = corner.y + size.y;
    plates[plate].text_x = int(corner.x + indent);
    plates[plate].text_y = int(corner.y) + int(p.style.margin / 2);
}

// How many rows are stronger.
uint rank_of(uint row) {
    const float own = strength(row);
    uint rank = 0;
    for (uint i = 0; i < p.queries; ++i) {
        const float other = strength(i);
        if ((other > own || (other == own && i < row)) && is_shown(i)) ++rank;
    }
    return rank;
}

// The plates of a row's box and label. The label has its size and its texts; its place follows. The
// box's plate has no text, and remembers the row there.
void make_plates(uint row, uint at, uint count) {
    const float margin = float(p.style.margin), height = float(p.style.line) + margin;
    const uint ink = 0xff141414u;
    const vec2 what = score_and_class(row);
    const uint label = uint(what.y);
    const uint percent = p.classes + uint(round(100.0 * clamp(what.x, 0.0, 1.0)));
    const uint colour = runs[label].colour;
    const bool selected = is_selected(row);
    const vec4 box = box_of(row);
    plates[at] = Plate(box.x, box.y, box.z, box.w, 0, selected ? 0xffffffffu : colour, 0,
                       float(p.style.frame_width) * (selected ? 2.0 : 1.0), 0.0, no_run, int(row), 0);
    // A name that is too long for the frame loses its end.
    const uint fill = (colour & 0xffffffu) | p.style.plate << 24;
    const float score_width = float(runs[percent].width) + margin;
    const float name_width = min(float(runs[label].width) + 2.0 * margin,
                                 max(float(p.width) - score_width, 0.0));
    plates[count + 2 * at] = Plate(0, 0, name_width, height, fill, 0, ink, 0.0, 0.0, label, 0, 0);
    plates[count + 2 * at + 1] =
        Plate(0, 0, score_width, height, fill, 0, ink, 0.0, 0.0, percent, 0, 0);
}

// What this thread finds in the way of a label: of stronger boxes and their labels, and of what
// other texts have taken.
uint blocked_by_mine(uint rank, uint count, Area box, Area whole, vec2 size) {
    const uint me = gl_LocalInvocationID.x;
    const vec2 image = vec2(p.width, p.height);
    uint mine = 0;
    for (uint stronger = me; stronger < rank; stronger += THREADS) {
        const uint other = count - 1 - stronger, label = count + 2 * other;
        if (plates[other].left == plates[other].right) continue;  // is one thing with another
        if (overlap_of(whole_box(plates[other].text_x), whole) > s.same) mine |= same_thing;
        Area taken = area_of(plates[label]);
        taken.right = plates[label + 1].right;
        mine |= places_covering(taken, box, size, image);
    }
    for (uint i = me; i < min(s.taken, most_taken); i += THREADS)
        mine |= places_covering(s.areas[i], box, size, image);
    return mine;
}

void main() {
    const uint me = gl_LocalInvocationID.x;
    const vec2 image = vec2(p.width, p.height), nowhere = vec2(0.0);
    uint count = 0;
    for (uint i = 0; i < p.queries; ++i) count += is_shown(i) ? 1 : 0;
    count = min(count, s.most);
    if (me == 0) plate_count = 3 * count;
    for (uint row = me; row < p.queries; row += THREADS) {
        if (!is_shown(row)) continue;
        const uint rank = rank_of(row);
        if (rank < count) make_plates(row, count - 1 - rank, count);
    }
    memoryBarrierBuffer();
    barrier();

    for (uint rank = 0; rank < count; ++rank) {
        const uint at = count - 1 - rank, label = count + 2 * at;
        const Area box = area_of(plates[at]), whole = whole_box(plates[at].text_x);
        const float name_width = plates[label].right;
        const vec2 size = vec2(name_width + plates[label + 1].right, plates[label].bottom);
        if (me == 0) blocked = places_outside(box, size, image);
        barrier();
        const uint mine = blocked_by_mine(rank, count, box, whole, size);
        if (mine != 0) atomicOr(blocked, mine);
        barrier();
        if (me == 0) {
            const bool merged = (blocked & same_thing) != 0;
            const uint place = merged ? label_places : first_free(blocked);
            if (merged) put(at, nowhere, nowhere, 0.0);
            const bool placed = place < label_places;
            const Area there = label_at(place, box, size, image);
            const vec2 corner = placed ? vec2(there.left, there.top) : nowhere;
            put(label, corner, placed ? vec2(name_width, size.y) : nowhere, float(p.style.margin));
            put(label + 1, corner + vec2(placed ? name_width : 0.0, 0.0),
                placed ? vec2(size.x - name_width, size.y) : nowhere, 0.0);
        }
        memoryBarrierBuffer();
        barrier();
    }
}
