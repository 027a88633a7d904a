#version 460
// types: f32 f16
// Boxes from distributions over where their edges lie (D-FINE, section 4.1). For each edge e:
//   Pr = softmax(corners[e]),   d[e] = sum_n Pr(n) W(n)
//   left = x - (scale / 2 + d[0]) w / scale, top likewise, right = x + (scale / 2 + d[2]) w / scale, ...
// with (x, y, w, h) the reference. The boxes are centre and size; copy has them in the type that
// products read. statistics tell how certain an edge is: the `best` largest of Pr, in order, and
// their mean. corners (queries, 4 * bins), reference, boxes (queries, 4) and W (bins) f32; copy
// (queries, 4), statistics (queries, 4 * (best + 1)). One thread per edge; the four of a query
// share a workgroup.
#extension GL_GOOGLE_include_directive : require
#include "shaders/boxes/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x = 4, local_size_y_id = 0) in;
layout(constant_id = 0) const uint QUERIES = 1;
layout(constant_id = 1) const uint STATISTICS = 0;

layout(binding = 0) readonly buffer Corners { float corners[]; };
layout(binding = 1) readonly buffer Reference { vec4 reference[]; };
layout(binding = 2) readonly buffer Weights { float weights[]; };
layout(binding = 3) writeonly buffer Boxes { vec4 boxes[]; };
layout(binding = 4) writeonly buffer Copy { OUT4 copy[]; };
layout(binding = 5) writeonly buffer Statistics { float statistics[]; };
layout(push_constant) uniform Push { EdgeBoxesParams p; };

shared float distance_of[QUERIES][4];

void main() {
    const uint edge = gl_LocalInvocationID.x, mine = gl_LocalInvocationID.y;
    const uint query = gl_GlobalInvocationID.y, batch = gl_GlobalInvocationID.z;
    const bool there = query < p.queries;
    const uint at = row_start(p.corners, batch, min(query, p.queries - 1)) + edge * p.bins;
    float largest = corners[at];
    for (uint n = 1; n < p.bins; ++n) largest = max(largest, corners[at + n]);
    float sum = 0.0, weighed = 0.0;
    for (uint n = 0; n < p.bins; ++n) {
        const float e = exp(corners[at + n] - largest);
        sum += e;
        weighed += e * weights[n];
    }
    distance_of[mine][edge] = weighed / sum;

    if (STATISTICS != 0 && there) {
        // One after the other: the best of those that come after the one found before.
        const uint to = row_start(p.statistics, batch, query) + edge * (p.best + 1);
        float last = 0.0, mean = 0.0;
        uint last_bin = 0;
        for (uint i = 0; i < p.best; ++i) {
            float found = -3.402823466e38;
            uint found_bin = 0;
            for (uint n = 0; n < p.bins; ++n) {
                const float v = corners[at + n];
                const bool taken = i > 0 && (v > last || (v == last && n <= last_bin));
                if (!taken && v > found) {
                    found = v;
                    found_bin = n;
                }
            }
            last = found;
            last_bin = found_bin;
            const float probability = exp(found - largest) / sum;
            statistics[to + i] = probability;
            mean += probability / float(p.best);
        }
        statistics[to + p.best] = mean;
        if (edge == 0)
            for (uint i = 4 * (p.best + 1); i < padded(4 * (p.best + 1)); ++i)
                statistics[row_start(p.statistics, batch, query) + i] = 0.0;
    }

    barrier();
    if (!there || edge != 0) return;
    const vec4 box = reference[row_start(p.reference, batch, query) / 4];
    const vec2 step = box.zw / p.scale;
    const vec2 before_it = vec2(distance_of[mine][0], distance_of[mine][1]);
    const vec2 after_it = vec2(distance_of[mine][2], distance_of[mine][3]);
    const vec2 low = box.xy - (0.5 * p.scale + before_it) * step;
    const vec2 high = box.xy + (0.5 * p.scale + after_it) * step;
    const vec4 moved = vec4((low + high) / 2.0, high - low);
    const uint boxes_at = row_start(p.boxes, batch, query) / 4;
    const uint copy_at = row_start(p.copy, batch, query) / 4;
    boxes[boxes_at] = moved;
    boxes[boxes_at + 1] = vec4(0.0);
    copy[copy_at] = store(moved);
    copy[copy_at + 1] = store(vec4(0.0));
}
