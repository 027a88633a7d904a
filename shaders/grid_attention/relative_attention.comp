#version 460
// types: f32 f16
// y = softmax(scale q k^T + place) v (+ q where RESIDUAL is set) for each head, where place depends on how
// far a key lies from a query, down and across: see relative.glsl. q, y (queries, heads * 4 HEAD4), k, v
// (keys, heads * 4 HEAD4), scores as relative_scores makes them. A workgroup has THREADS queries of one
// head; keys and values pass through shared memory, KEYS at a time. The first axis is the query, the
// second the head, the third the batch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/grid_attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 64;
layout(constant_id = 1) const uint HEAD4 = 24;  // fours of a head
layout(constant_id = 2) const uint KEYS = 16;   // a multiple of four
layout(constant_id = 3) const bool RESIDUAL = false;

layout(binding = 0) readonly buffer Q { IN4 q[]; };
layout(binding = 1) readonly buffer K { IN4 k[]; };
layout(binding = 2) readonly buffer V { IN4 v[]; };
layout(binding = 3) readonly buffer Scores { float scores[]; };
layout(binding = 4) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { RelativeAttentionParams p; };

#include "shaders/grid_attention/relative.glsl"

shared vec4 keys[KEYS * HEAD4], values[KEYS * HEAD4];

void main() {
    const uint me = gl_LocalInvocationIndex, head = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint mine = gl_WorkGroupID.x * THREADS + me, row = min(mine, p.queries - 1);
    vec4 query[HEAD4], sum[HEAD4];
    const uint q_at = row_start(p.q, batch, row) / 4 + head * HEAD4;
    [[unroll]] for (uint d = 0; d < HEAD4; ++d) {
        query[d] = load(q[q_at + d]) * p.scale;
        sum[d] = vec4(0.0);
    }
    float largest = -1e30, total = 0.0;
    for (uint first = 0; first < p.keys; first += KEYS) {
        barrier();  // all threads have read the last ones
        for (uint i = me; i < KEYS * HEAD4; i += THREADS) {
            const uint key = min(first + i / HEAD4, p.keys - 1), column = head * HEAD4 + i % HEAD4;
            keys[i] = load(k[row_start(p.k, batch, key) / 4 + column]);
            values[i] = load(v[row_start(p.v, batch, key) / 4 + column]);
        }
        barrier();
        for (uint four = 0; four < KEYS && first + four < p.keys; four += 4) {
            float score[4];
            float top = largest;
            [[unroll]] for (uint j = 0; j < 4; ++j) {
                const uint key = first + four + j;
                vec4 dots = vec4(0.0);
                [[unroll]] for (uint d = 0; d < HEAD4; ++d)
                    dots += query[d] * keys[(four + j) * HEAD4 + d];
                score[j] = -1e30;
                if (key < p.keys)
                    score[j] = dot(dots, vec4(1.0)) + place_score(batch, head, row, key);
                top = max(top, score[j]);
            }
            const float shrink = exp(largest - top);
            largest = top;
            total *= shrink;
            [[unroll]] for (uint j = 0; j < 4; ++j) {
                score[j] = first + four + j < p.keys ? exp(score[j] - top) : 0.0;
                total += score[j];
            }
            [[unroll]] for (uint d = 0; d < HEAD4; ++d) {
                vec4 more = sum[d] * shrink;
                [[unroll]] for (uint j = 0; j < 4; ++j)
                    more += score[j] * values[(four + j) * HEAD4 + d];
                sum[d] = more;
            }
        }
    }
    if (mine >= p.queries) return;
    const uint y_at = row_start(p.y, batch, row) / 4 + head * HEAD4;
    [[unroll]] for (uint d = 0; d < HEAD4; ++d) {
        vec4 result = sum[d] / total;
        if (RESIDUAL) result += load(q[q_at + d]);
        y[y_at + d] = store(result);
    }
}
