#version 460
// types: f32 f16
// Flash attention with tiles in shared memory: y = softmax(scale q k^T) v for each head.
// q, y (queries, heads * 4 HEAD4), k, v (keys, heads * 4 HEAD4). A workgroup takes QUERIES queries of
// one head and goes over the keys in tiles of KEYS. A thread has four queries, of which it computes the
// scores with KEYS_EACH keys of a tile, and FOURS_EACH times four columns of the result. Threads that
// have the same queries exchange the largest score of a tile. The next keys are loaded while the weights
// of the last are multiplied, and the values while scores are computed.
#extension GL_GOOGLE_include_directive : require
#include "shaders/attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 64;
layout(constant_id = 1) const uint QUERIES = 32;  // a multiple of four
layout(constant_id = 2) const uint KEYS = 32;     // a multiple of four
layout(constant_id = 3) const uint HEAD4 = 16;    // fours of a head
layout(constant_id = 4) const uint CAUSAL = 0;    // query i sees keys 0 .. i + causal_offset

layout(binding = 0) readonly buffer Q { IN4 q[]; };
layout(binding = 1) readonly buffer K { IN4 k[]; };
layout(binding = 2) readonly buffer V { IN4 v[]; };
layout(binding = 3) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { AttentionParams p; };

const uint QUERIES4 = QUERIES / 4;
const uint SHARERS = THREADS / QUERIES4;  // threads that have the same queries
const uint KEYS_EACH = KEYS / SHARERS;
const uint FOURS_EACH = (HEAD4 + SHARERS - 1) / SHARERS;
const uint LOADS = (KEYS * HEAD4 + THREADS - 1) / THREADS;
const uint QUERY_LOADS = (QUERIES * HEAD4 + THREADS - 1) / THREADS;
// Rows in shared memory are a little longer than what they hold, against bank conflicts.
const uint Q_ROW = QUERIES4 + 1, K_ROW = KEYS / 4 + 1, V_ROW = HEAD4 + 1;
const uint KEY_SIZE = 4 * HEAD4 * K_ROW, VALUE_SIZE = KEYS * V_ROW;

shared vec4 query_tile[4 * HEAD4 * Q_ROW];                               // [column][query]
shared vec4 tile[KEY_SIZE > VALUE_SIZE ? KEY_SIZE : VALUE_SIZE];         // [column][key], or [key][column]
shared vec4 weight_tile[KEYS * Q_ROW];                                   // [key][query]
shared vec4 together[SHARERS * QUERIES4];                                // exchanged by sharers

const float hidden = -1e30;

uint head, kv_head, batch;

uint key_at(uint i) { return (gl_LocalInvocationIndex + i * THREADS) / HEAD4; }
uint column_at(uint i) { return (gl_LocalInvocationIndex + i * THREADS) % HEAD4; }
uint place(View view, uint of_head, uint row, uint i) {
    return row_start(view, batch, row) / 4 + of_head * HEAD4 + column_at(i);
}

vec4 scores[KEYS_EACH];  // of this thread's four queries with each of its keys

void load_queries(uint first) {
    [[unroll]] for (uint i = 0; i < QUERY_LOADS; ++i) {
        const uint query = key_at(i);
        const vec4 four = load(q[place(p.q, head, min(first + query, p.queries - 1), i)]) * p.scale;
        if (query < QUERIES)
            [[unroll]] for (uint e = 0; e < 4; ++e)
                query_tile[(column_at(i) * 4 + e) * Q_ROW + query / 4][query % 4] = four[e];
    }
}

// The scores of this thread's queries with its keys of a tile, and the largest for each query.
vec4 score_keys(uint first, uint first_key) {
    const uint mine = gl_LocalInvocationIndex % QUERIES4, sharer = gl_LocalInvocationIndex / QUERIES4;
    [[unroll]] for (uint j = 0; j < KEYS_EACH; ++j) scores[j] = vec4(0.0);
    [[unroll]] for (uint d = 0; d < 4 * HEAD4; ++d) {
        const vec4 four_queries = query_tile[d * Q_ROW + mine];
        if (KEYS_EACH == 4) {
            const vec4 four_keys = tile[d * K_ROW + sharer];
            [[unroll]] for (uint j = 0; j < KEYS_EACH; ++j)
                scores[j] = fma(four_queries, vec4(four_keys[j]), scores[j]);
        } else {
            [[unroll]] for (uint j = 0; j < KEYS_EACH; ++j) {
                const uint key = sharer * KEYS_EACH + j;
                scores[j] =
                    fma(four_queries, vec4(tile[d * K_ROW + key / 4][key % 4]), scores[j]);
            }
        }
    }
    vec4 top = vec4(hidden);
    [[unroll]] for (uint j = 0; j < KEYS_EACH; ++j) {
        const uint key = first_key + sharer * KEYS_EACH + j;
        const uvec4 query = first + mine * 4 + uvec4(0, 1, 2, 3);
        if (key >= p.keys) scores[j] = vec4(hidden);
        if (CAUSAL != 0)
            scores[j] =
                mix(scores[j], vec4(hidden), greaterThan(uvec4(key), query + p.causal_offset));
        top = max(top, scores[j]);
    }
    return top;
}

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint mine = me % QUERIES4, sharer = me / QUERIES4;
    const uint first = gl_WorkGroupID.x * QUERIES;
    head = gl_WorkGroupID.y;
    kv_head = divide(head, p.sharing);
    batch = gl_WorkGroupID.z;

    uint keys = p.keys;
    if (CAUSAL != 0) keys = min(keys, first + QUERIES + p.causal_offset);

    IN4 next_keys[LOADS], next_values[LOADS];
    [[unroll]] for (uint i = 0; i < LOADS; ++i)
        next_keys[i] = k[place(p.k, kv_head, min(key_at(i), p.keys - 1), i)];
    load_queries(first);
    vec4 sums[4][FOURS_EACH];
    [[unroll]] for (uint i = 0; i < 4; ++i)
        [[unroll]] for (uint j = 0; j < FOURS_EACH; ++j) sums[i][j] = vec4(0.0);
    vec4 largest = vec4(hidden), total = vec4(0.0);

    for (uint first_key = 0; first_key < keys; first_key += KEYS) {
        [[unroll]] for (uint i = 0; i < LOADS; ++i) {
            const uint key = key_at(i);
            const vec4 four = load(next_keys[i]);
            if (key < KEYS)
                [[unroll]] for (uint e = 0; e < 4; ++e)
                    tile[(column_at(i) * 4 + e) * K_ROW + key / 4][key % 4] = four[e];
        }
        barrier();
        [[unroll]] for (uint i = 0; i < LOADS; ++i)
            next_values[i] = v[place(p.v, kv_head, min(first_key + key_at(i), p.keys - 1), i)];

        vec4 top = score_keys(first, first_key);
        together[sharer * QUERIES4 + mine] = top;
        barrier();  // all threads have read the keys

        top = largest;
        [[unroll]] for (uint s = 0; s < SHARERS; ++s) top = max(top, together[s * QUERIES4 + mine]);
        const vec4 shrink = exp(largest - top);
        largest = top;
        total *= shrink;
        [[unroll]] for (uint j = 0; j < KEYS_EACH; ++j) {
            // Masked keys weigh exactly 0, even before the first key that is not masked.
            const vec4 weights =
                mix(vec4(0.0), exp(scores[j] - top), greaterThan(scores[j], vec4(hidden)));
            total += weights;
            weight_tile[(sharer * KEYS_EACH + j) * Q_ROW + mine] = weights;
        }
        [[unroll]] for (uint i = 0; i < 4; ++i)
            [[unroll]] for (uint j = 0; j < FOURS_EACH; ++j) sums[i][j] *= shrink[i];
        [[unroll]] for (uint i = 0; i < LOADS; ++i)
            if (key_at(i) < KEYS) tile[key_at(i) * V_ROW + column_at(i)] = load(next_values[i]);
        barrier();
        [[unroll]] for (uint i = 0; i < LOADS; ++i)
            next_keys[i] = k[place(p.k, kv_head, min(first_key + KEYS + key_at(i), p.keys - 1), i)];

        [[unroll]] for (uint key = 0; key < KEYS; ++key) {
            const vec4 weights = weight_tile[key * Q_ROW + mine];
            [[unroll]] for (uint j = 0; j < FOURS_EACH; ++j) {
                const vec4 value = tile[key * V_ROW + min(sharer + j * SHARERS, HEAD4 - 1)];
                [[unroll]] for (uint i = 0; i < 4; ++i)
                    sums[i][j] = fma(vec4(weights[i]), value, sums[i][j]);
            }
        }
        barrier();  // all threads have read the values
    }

    together[sharer * QUERIES4 + mine] = total;
    barrier();
    total = vec4(0.0);
    [[unroll]] for (uint s = 0; s < SHARERS; ++s) total += together[s * QUERIES4 + mine];
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uint query = first + mine * 4 + i;
        if (query >= p.queries) break;
        const uint at = row_start(p.y, batch, query) / 4 + head * HEAD4;
        [[unroll]] for (uint j = 0; j < FOURS_EACH; ++j)
            if (sharer + j * SHARERS < HEAD4)
                y[at + sharer + j * SHARERS] = store(sums[i][j] / total[i]);
    }
}
