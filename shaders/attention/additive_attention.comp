#version 460
// types: f32 f16
// y = gate * sum over i of softmax_i(w . tanh(k_i + q)) v_i, for each row of q.
// q (queries, columns) f32, k (keys, columns), v (keys, channels), gate (queries, 1) f32, y (queries,
// channels). One workgroup per query; its threads share the keys, then the channels.
#extension GL_GOOGLE_include_directive : require
#include "shaders/attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint KEYS = 8;

layout(binding = 0) readonly buffer Q { vec4 q[]; };
layout(binding = 1) readonly buffer K { IN4 k[]; };
layout(binding = 2) readonly buffer V { IN4 v[]; };
layout(binding = 3) readonly buffer W { vec4 w[]; };
layout(binding = 4) readonly buffer Gate { float gate[]; };
layout(binding = 5) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { AdditiveAttentionParams p; };

#include "shaders/attention/additive.glsl"
#include "shaders/common/reduce.glsl"

shared float weights[KEYS];

void main() {
    const uint me = gl_LocalInvocationID.x, row = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint q_at = row_start(p.q, batch, row) / 4;
    float largest = -1e30, total = 0.0;
    for (uint key = me; key < p.keys; key += THREADS) {
        weights[key] = score_of(q_at, row_start(p.k, batch, key) / 4);
        largest = max(largest, weights[key]);
    }
    largest = workgroup_max(largest);
    for (uint key = me; key < p.keys; key += THREADS) {
        weights[key] = exp(weights[key] - largest);
        total += weights[key];
    }
    total = workgroup_sum(total);  // its barriers show all weights to all

    const float scale = gate[row_start(p.gate, batch, row)] / total;
    for (uint column = 4 * me; column < padded(p.channels); column += 4 * THREADS) {
        vec4 sum = vec4(0.0);
        for (uint key = 0; key < p.keys; ++key)
            sum += weights[key] * load(v[(row_start(p.v, batch, key) + column) / 4]);
        y[(row_start(p.y, batch, row) + column) / 4] =
            store(before(scale * sum, column, p.channels));
    }
}
