#version 460
// types: f32 f16_f32
// map[h * rows + r] = softmax over keys of scale q[first_row + r] . k, for head first_head + h.
// q (queries, heads * 4 HEAD4), k (keys, heads * 4 HEAD4), map (heads * rows, keys) f32.
// One workgroup per row of the map.
#extension GL_GOOGLE_include_directive : require
#include "shaders/attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint HEAD4 = 16;

layout(binding = 0) readonly buffer Q { IN4 q[]; };
layout(binding = 1) readonly buffer K { IN4 k[]; };
layout(binding = 2) buffer Map { float map[]; };
layout(push_constant) uniform Push { AttentionMapParams p; };

#include "shaders/common/reduce.glsl"

void main() {
    // The second axis goes over heads and rows alike.
    const uint map_row = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint h = divide(map_row, p.rows), r = map_row - h * p.rows;
    const uint head = p.first_head + h;
    const uint me = gl_LocalInvocationID.x;
    const uint map_at = row_start(p.map, batch, map_row);

    vec4 query[HEAD4];
    const uint q_at = row_start(p.q, batch, p.first_row + r) / 4 + head * HEAD4;
    [[unroll]] for (uint d = 0; d < HEAD4; ++d) query[d] = load(q[q_at + d]) * p.scale;

    // Each thread reads only elements of the map that it has written itself, so no barrier is
    // needed.
    float largest = -1e30;
    for (uint key = me; key < p.keys; key += THREADS) {
        const uint k_at = row_start(p.k, batch, key) / 4 + divide(head, p.sharing) * HEAD4;
        vec4 dots = vec4(0.0);
        [[unroll]] for (uint d = 0; d < HEAD4; ++d) dots += query[d] * load(k[k_at + d]);
        const float score = dot(dots, vec4(1.0));
        map[map_at + key] = score;
        largest = max(largest, score);
    }
    largest = workgroup_max(largest);

    float total = 0.0;
    for (uint key = me; key < p.keys; key += THREADS) {
        const float e = exp(map[map_at + key] - largest);
        map[map_at + key] = e;
        total += e;
    }
    total = workgroup_sum(total);

    for (uint key = me; key < padded(p.keys); key += THREADS)
        map[map_at + key] = key < p.keys ? map[map_at + key] / total : 0.0;
}
