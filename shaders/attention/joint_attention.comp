#version 460
// types: f32 f16, texels
// y[query][key][head] = softmax over all keys and heads of scale q[query][head] . k[key][head].
// q (queries, heads * head), k (keys, heads * head), y (a batch each query; keys, heads). Scores are
// worked out whenever they are needed, and never stored. One workgroup per query.
#extension GL_GOOGLE_include_directive : require
#include "shaders/attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

READ(0, Q, IN4, q);
READ(1, K, IN4, k);
WRITE(2, Y, OUT4, y);
layout(push_constant) uniform Push { JointAttentionParams p; };

#include "shaders/common/reduce.glsl"

float score(uint query, uint key, uint head) {
    const uint q_at = (row_start(p.q, 0, query) + head * p.head) / 4;
    const uint k_at = (row_start(p.k, 0, key) + head * p.head) / 4;
    float sum = 0.0;
    for (uint i = 0; i < p.head / 4; ++i) sum += dot(load_at(q, q_at + i), load_at(k, k_at + i));
    return sum * p.scale;
}

void main() {
    const uint query = gl_WorkGroupID.y, me = gl_LocalInvocationID.x;
    float most = -3.402823466e38;
    for (uint key = me; key < p.keys; key += THREADS)
        for (uint head = 0; head < p.heads; ++head) most = max(most, score(query, key, head));
    const float largest = workgroup_max(most);
    float part = 0.0;
    for (uint key = me; key < p.keys; key += THREADS)
        for (uint head = 0; head < p.heads; ++head) part += exp(score(query, key, head) - largest);
    const float sum = workgroup_sum(part);
    for (uint key = me; key < p.keys; key += THREADS) {
        const uint y_at = row_start(p.y, query, key) / 4;
        for (uint first = 0; first < padded(p.heads); first += 4) {
            vec4 v = vec4(0.0);
            [[unroll]] for (uint lane = 0; lane < 4; ++lane)
                if (first + lane < p.heads)
                    v[lane] = exp(score(query, key, first + lane) - largest) / sum;
            store_at(y, y_at + first / 4, v);
        }
    }
}
