#version 460
// types: f32 f16_f32
// map[r] = softmax over keys i of w . tanh(k_i + q[first_row + r]): the softmax of additive_attention.
// q (queries, columns) f32, k (keys, columns), map (rows, keys) f32. One workgroup per row of the map.
#extension GL_GOOGLE_include_directive : require
#include "shaders/attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) readonly buffer Q { vec4 q[]; };
layout(binding = 1) readonly buffer K { IN4 k[]; };
layout(binding = 2) readonly buffer W { vec4 w[]; };
layout(binding = 3) buffer Map { float map[]; };
layout(push_constant) uniform Push { AdditiveMapParams p; };

#include "shaders/attention/additive.glsl"
#include "shaders/common/reduce.glsl"

void main() {
    const uint me = gl_LocalInvocationID.x, row = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint q_at = row_start(p.q, batch, p.first_row + row) / 4;
    const uint map_at = row_start(p.map, batch, row);
    // Each thread reads only elements of the map that it has written itself, so no barrier is
    // needed.
    float largest = -1e30, total = 0.0;
    for (uint key = me; key < p.keys; key += THREADS) {
        const float score = score_of(q_at, row_start(p.k, batch, key) / 4);
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
