#version 460
// types: f32 f16_f32
// The softmax of relative_attention for some queries:
// map[h * rows + r] = softmax over keys of scale q[first_row + r] . k + place, for head first_head + h.
// map (heads * rows, keys) f32. One workgroup per row of the map.
#extension GL_GOOGLE_include_directive : require
#include "shaders/grid_attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint HEAD4 = 24;

layout(binding = 0) readonly buffer Q { IN4 q[]; };
layout(binding = 1) readonly buffer K { IN4 k[]; };
layout(binding = 2) readonly buffer Scores { float scores[]; };
layout(binding = 3) buffer Map { float map[]; };
layout(push_constant) uniform Push { RelativeMapParams p; };

#include "shaders/common/reduce.glsl"
#include "shaders/grid_attention/relative.glsl"

void main() {
    const uint map_row = gl_WorkGroupID.y, me = gl_LocalInvocationID.x;
    const uint h = divide(map_row, p.rows), query_row = p.first_row + map_row - h * p.rows;
    const uint head = p.first_head + h, map_at = row_start(p.map, 0, map_row);
    vec4 query[HEAD4];
    const uint q_at = row_start(p.q, 0, query_row) / 4 + head * HEAD4;
    [[unroll]] for (uint d = 0; d < HEAD4; ++d) query[d] = load(q[q_at + d]) * p.scale;

    // Each thread reads only elements of the map that it has written itself, so no barrier is
    // needed.
    float largest = -1e30, total = 0.0;
    for (uint key = me; key < p.keys; key += THREADS) {
        const uint k_at = row_start(p.k, 0, key) / 4 + head * HEAD4;
        vec4 dots = vec4(0.0);
        [[unroll]] for (uint d = 0; d < HEAD4; ++d) dots += query[d] * load(k[k_at + d]);
        const float score = dot(dots, vec4(1.0)) + place_score(0, head, query_row, key);
        map[map_at + key] = score;
        largest = max(largest, score);
    }
    largest = workgroup_max(largest);
    for (uint key = me; key < p.keys; key += THREADS) {
        const float e = exp(map[map_at + key] - largest);
        map[map_at + key] = e;
        total += e;
    }
    total = workgroup_sum(total);
    for (uint key = me; key < padded(p.keys); key += THREADS)
        map[map_at + key] = key < p.keys ? map[map_at + key] / total : 0.0;
}
