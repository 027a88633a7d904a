#version 460
// types: f32 f16, texels
// Flash attention: y = softmax(scale q k^T) v for each head, without ever storing the scores.
// q, y (queries, heads * 4 HEAD4), k, v (keys, heads * 4 HEAD4). One thread holds QUERIES queries
// of one head and goes over the keys in blocks of KEYS, keeping for each query the largest score so
// far, the sum of exponentials and the weighted sum of v, all rescaled when the largest changes (an online
// softmax).
#extension GL_GOOGLE_include_directive : require
#include "shaders/attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint QUERIES = 1;
layout(constant_id = 2) const uint HEAD4 = 16;  // vec4s of a head
layout(constant_id = 3) const uint CAUSAL = 0;  // query i sees keys 0 .. i + causal_offset
const uint KEYS = 4;

READ(0, Q, IN4, q);
READ(1, K, IN4, k);
READ(2, V, IN4, v);
WRITE(3, Y, OUT4, y);
layout(push_constant) uniform Push { AttentionParams p; };

void main() {
    const uint first = gl_GlobalInvocationID.x * QUERIES;
    const uint head = gl_GlobalInvocationID.y, batch = gl_GlobalInvocationID.z;
    const uint kv_head = divide(head, p.sharing);
    if (first >= p.queries) return;

    vec4 query[QUERIES][HEAD4], sum[QUERIES][HEAD4];
    float largest[QUERIES], total[QUERIES];
    [[unroll]] for (uint i = 0; i < QUERIES; ++i) {
        const uint at = row_start(p.q, batch, min(first + i, p.queries - 1)) / 4 + head * HEAD4;
        [[unroll]] for (uint d = 0; d < HEAD4; ++d) {
            query[i][d] = load_at(q, at + d) * p.scale;
            sum[i][d] = vec4(0.0);
        }
        largest[i] = -1e30;
        total[i] = 0.0;
    }

    // Keys past the last one that any of these queries sees are skipped.
    uint keys = p.keys;
    if (CAUSAL != 0) keys = min(keys, first + QUERIES + p.causal_offset);
    for (uint first_key = 0; first_key < keys; first_key += KEYS) {
        float score[QUERIES][KEYS];
        [[unroll]] for (uint j = 0; j < KEYS; ++j) {
            const uint key = first_key + j;
            const uint at = row_start(p.k, batch, min(key, p.keys - 1)) / 4 + kv_head * HEAD4;
            vec4 dots[QUERIES];
            [[unroll]] for (uint i = 0; i < QUERIES; ++i) dots[i] = vec4(0.0);
            [[unroll]] for (uint d = 0; d < HEAD4; ++d) {
                const vec4 kd = load_at(k, at + d);
                [[unroll]] for (uint i = 0; i < QUERIES; ++i) dots[i] += query[i][d] * kd;
            }
            [[unroll]] for (uint i = 0; i < QUERIES; ++i) {
                const bool seen =
                    key < p.keys && (CAUSAL == 0 || key <= first + i + p.causal_offset);
                score[i][j] = seen ? dot(dots[i], vec4(1.0)) : -1e30;
            }
        }
        [[unroll]] for (uint i = 0; i < QUERIES; ++i) {
            float top = largest[i];
            [[unroll]] for (uint j = 0; j < KEYS; ++j) top = max(top, score[i][j]);
            const float shrink = exp(largest[i] - top);
            largest[i] = top;
            total[i] *= shrink;
            [[unroll]] for (uint j = 0; j < KEYS; ++j) {
                // Masked keys weigh exactly 0, even before the first key that is not masked.
                score[i][j] = score[i][j] > -1e30 ? exp(score[i][j] - top) : 0.0;
                total[i] += score[i][j];
            }
            [[unroll]] for (uint d = 0; d < HEAD4; ++d) sum[i][d] *= shrink;
        }
        [[unroll]] for (uint j = 0; j < KEYS; ++j) {
            const uint at =
                row_start(p.v, batch, min(first_key + j, p.keys - 1)) / 4 + kv_head * HEAD4;
            [[unroll]] for (uint d = 0; d < HEAD4; ++d) {
                const vec4 vd = load_at(v, at + d);
                [[unroll]] for (uint i = 0; i < QUERIES; ++i) sum[i][d] += score[i][j] * vd;
            }
        }
    }

    [[unroll]] for (uint i = 0; i < QUERIES; ++i) {
        if (first + i >= p.queries) break;
        const uint at = row_start(p.y, batch, first + i) / 4 + head * HEAD4;
        [[unroll]] for (uint d = 0; d < HEAD4; ++d) {
            store_at(y, at + d, sum[i][d] / total[i]);
        }
    }
}
