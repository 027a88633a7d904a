#version 460
// types: f32 f16
// y = softmax(scale q k^T + bias) v for each head, among the cells of each window (see windows.glsl). The
// bias depends on how far a key lies from a query, to the right and down: bias (heads, (2 WINDOW - 1)^2)
// f32. COSINE: q and k have length 1, and every head its own scale: scales (heads) f32.
// q, k, v (cells of the map + 1 where it is padded, heads * 4 HEAD4), y (cells, heads * 4 HEAD4). A
// workgroup has THREADS queries of one window and one head; keys and values pass through shared memory,
// KEYS at a time. The first axis is the query, the second the head, the third the window.
#extension GL_GOOGLE_include_directive : require
#include "shaders/grid_attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 64;
layout(constant_id = 1) const uint WINDOW = 7;
layout(constant_id = 2) const uint HEAD4 = 8;  // fours of a head
layout(constant_id = 3) const uint KEYS = 32;  // a multiple of four
layout(constant_id = 4) const bool COSINE = false;
const uint CELLS = WINDOW * WINDOW;

layout(binding = 0) readonly buffer Q { IN4 q[]; };
layout(binding = 1) readonly buffer K { IN4 k[]; };
layout(binding = 2) readonly buffer V { IN4 v[]; };
layout(binding = 3) readonly buffer Bias { float bias[]; };
layout(binding = 4) readonly buffer Scales { float scales[]; };
layout(binding = 5) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { WindowAttentionParams p; };

#include "shaders/grid_attention/windows.glsl"

shared vec4 keys[KEYS * HEAD4], values[KEYS * HEAD4];
shared float key_scale[KEYS];
const float shortest = 1e-12;

void main() {
    const uint me = gl_LocalInvocationIndex, head = gl_WorkGroupID.y;
    find_window(gl_WorkGroupID.z);
    const uint cell = gl_WorkGroupID.x * THREADS + me;
    const uvec2 place = place_of(min(cell, CELLS - 1));
    const uint row = row_of(place);
    const bool at_work = cell < CELLS && row < padding_row();

    vec4 query[HEAD4], sum[HEAD4];
    const uint q_at = row_start(p.q, batch, row) / 4 + head * HEAD4;
    vec4 squares = vec4(0.0);
    [[unroll]] for (uint d = 0; d < HEAD4; ++d) {
        query[d] = load(q[q_at + d]);
        squares += query[d] * query[d];
        sum[d] = vec4(0.0);
    }
    float scale = p.scale;
    if (COSINE) scale = scales[head] / max(sqrt(dot(squares, vec4(1.0))), shortest);
    [[unroll]] for (uint d = 0; d < HEAD4; ++d) query[d] *= scale;
    const uint at_query = bias_at(head, place);
    float largest = -1e30, total = 0.0;

    for (uint first = 0; first < CELLS; first += KEYS) {
        barrier();  // all threads have read the last ones
        for (uint i = me; i < KEYS * HEAD4; i += THREADS) {
            const uint key_row = row_of(place_of(min(first + i / HEAD4, CELLS - 1)));
            const uint column = head * HEAD4 + i % HEAD4;
            keys[i] = load(k[row_start(p.k, batch, key_row) / 4 + column]);
            values[i] = load(v[row_start(p.v, batch, key_row) / 4 + column]);
        }
        barrier();
        if (COSINE) {
            for (uint j = me; j < KEYS; j += THREADS) {
                vec4 length = vec4(0.0);
                for (uint d = 0; d < HEAD4; ++d) length += keys[j * HEAD4 + d] * keys[j * HEAD4 + d];
                key_scale[j] = 1.0 / max(sqrt(dot(length, vec4(1.0))), shortest);
            }
            barrier();
        }
        if (!at_work) continue;
        for (uint four = 0; four < KEYS && first + four < CELLS; four += 4) {
            float score[4];
            float top = largest;
            [[unroll]] for (uint j = 0; j < 4; ++j) {
                vec4 dots = vec4(0.0);
                [[unroll]] for (uint d = 0; d < HEAD4; ++d)
                    dots += query[d] * keys[(four + j) * HEAD4 + d];
                const uint key = first + four + j;
                const uvec2 key_place = place_of(min(key, CELLS - 1));
                score[j] = dot(dots, vec4(1.0)) * (COSINE ? key_scale[four + j] : 1.0) +
                           bias[at_query - bias_step(key_place)];
                if (apart(place, key_place)) score[j] += p.windows.mask;
                if (key >= CELLS) score[j] = -1e30;
                top = max(top, score[j]);
            }
            const float shrink = exp(largest - top);
            largest = top;
            total *= shrink;
            [[unroll]] for (uint j = 0; j < 4; ++j) {
                score[j] = first + four + j < CELLS ? exp(score[j] - top) : 0.0;
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
    if (!at_work) return;
    const uint y_at = row_start(p.y, batch, row) / 4 + head * HEAD4;
    [[unroll]] for (uint d = 0; d < HEAD4; ++d) y[y_at + d] = store(sum[d] / total);
}
