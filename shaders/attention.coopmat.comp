#version 460
// attention.comp on cooperative matrices: y = softmax(scale q k^T) v for each head, fp16 in and out,
// fp32 scores, statistics and sums. q, y (queries, heads * HEAD), k, v (keys, heads * HEAD).
// A workgroup holds 16 queries of one head, and its subgroups share the keys out among them, block
// by block. Which thread holds which element of a cooperative matrix is the driver's secret, so sums
// cannot be rescaled when a larger score turns up; instead the keys are gone over twice: first for
// each row's largest score and sum of exponentials, then for the product.
// The first axis is the query, the second the head, the third the batch.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 128;
layout(constant_id = 1) const uint SUBGROUPS = 4;
layout(constant_id = 2) const uint HEAD = 64;   // a multiple of 16
layout(constant_id = 3) const uint CAUSAL = 0;  // query i sees keys 0 .. i + causal_offset
const uint F = 16;                              // fragments are 16 x 16 x 16
const uint KEYS = 32;                           // of a block

layout(binding = 0) readonly buffer Q { uvec4 q[]; };
layout(binding = 1) readonly buffer K { uvec4 k[]; };
layout(binding = 2) readonly buffer V { uvec4 v[]; };
layout(binding = 3) writeonly buffer Y { uvec2 y[]; };
layout(push_constant) uniform Push { AttentionParams p; };

const uint HEAD8 = HEAD / 8;
const uint ROW = HEAD8 + 1;  // one load longer, against bank conflicts
const uint TILE = KEYS * ROW;
const uint SCORE_ROW = KEYS + 4;
const uint SCORES = F * SCORE_ROW;
const uint WEIGHT_ROW = KEYS / 8 + 1;
shared uvec4 tiles[SUBGROUPS * TILE];  // keys, then values, of each subgroup's block
shared float scores[SUBGROUPS * SCORES];
shared uvec4 weights[SUBGROUPS * F * WEIGHT_ROW];
shared vec2 statistics[THREADS];

#define Sums coopmat<float, gl_ScopeSubgroup, F, F, gl_MatrixUseAccumulator>
#define Left coopmat<float16_t, gl_ScopeSubgroup, F, F, gl_MatrixUseA>
#define Right coopmat<float16_t, gl_ScopeSubgroup, F, F, gl_MatrixUseB>

Left query[HEAD / F];

void subgroup_sync() {
    subgroupMemoryBarrierShared();
    subgroupBarrier();
}

vec4 four_scores(uint at) {
    return vec4(scores[at], scores[at + 1], scores[at + 2], scores[at + 3]);
}

// Rounded before anything is subtracted from it: both rounds over the keys must see the same number,
// or with scores in the millions the largest one would not be zero below itself.
vec4 scaled_scores(uint at) {
    precise vec4 s = four_scores(at) * p.scale;
    return s;
}

// The queries against a block of keys, laid out in this subgroup's scores.
void score_block(uint first_key) {
    const uint tile = gl_SubgroupID * TILE;
    subgroup_sync();
    for (uint at = gl_SubgroupInvocationID; at < KEYS * HEAD8; at += gl_SubgroupSize) {
        const uint row = at / HEAD8, column = at % HEAD8;
        const uint i = min(first_key + row, p.keys - 1);
        tiles[tile + row * ROW + column] =
            k[row_start(p.k, gl_WorkGroupID.z, i) / 8 + gl_WorkGroupID.y * HEAD8 + column];
    }
    subgroup_sync();
    [[unroll]] for (uint j = 0; j < KEYS / F; ++j) {
        Sums s = Sums(0.0);
        [[unroll]] for (uint d = 0; d < HEAD / F; ++d) {
            Right key;
            coopMatLoad(key, tiles, tile + j * F * ROW + d * F / 8, ROW,
                        gl_CooperativeMatrixLayoutColumnMajor);
            s = coopMatMulAdd(query[d], key, s);
        }
        coopMatStore(s, scores, gl_SubgroupID * SCORES + j * F, SCORE_ROW,
                     gl_CooperativeMatrixLayoutRowMajor);
    }
    subgroup_sync();
}

void main() {
    const uint me = gl_LocalInvocationIndex, lane = gl_SubgroupInvocationID;
    const uint head = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint first_query = gl_WorkGroupID.x * F;

    // Queries come through the first tile, zero past the last one.
    for (uint at = me; at < F * HEAD8; at += THREADS) {
        const uint row = at / HEAD8, column = at % HEAD8;
        const uint i = first_query + row;
        tiles[row * ROW + column] =
            i < p.queries ? q[row_start(p.q, batch, i) / 8 + head * HEAD8 + column] : uvec4(0);
    }
    barrier();
    [[unroll]] for (uint d = 0; d < HEAD / F; ++d)
        coopMatLoad(query[d], tiles, d * F / 8, ROW, gl_CooperativeMatrixLayoutRowMajor);
    barrier();

    // Several lanes share a row of the scores, each with its own columns.
    const uint sharers = gl_SubgroupSize / F;
    const uint my_row = lane / sharers, my_part = lane % sharers;
    const uint scores_at = gl_SubgroupID * SCORES + my_row * SCORE_ROW;
    const uint weights_at = (gl_SubgroupID * F + my_row) * WEIGHT_ROW;
    uint last_key = p.keys;  // of those that my row's query sees
    uint all_keys = p.keys;  // of those that any of the queries sees
    if (CAUSAL != 0) {
        last_key = min(last_key, first_query + my_row + p.causal_offset + 1);
        all_keys = min(all_keys, first_query + F + p.causal_offset);
    }
    const uint begin = gl_SubgroupID * KEYS, step = SUBGROUPS * KEYS;

    float largest = -1e30, total = 0.0;
    for (uint first_key = begin; first_key < all_keys; first_key += step) {
        score_block(first_key);
        for (uint j = my_part; j < KEYS / 4; j += sharers) {
            const vec4 s = before(scaled_scores(scores_at + 4 * j), first_key + 4 * j,
                                  last_key, -1e30);
            const float top = max(max(max(s.x, s.y), max(s.z, s.w)), largest);
            const vec4 e = before(exp(s - top), first_key + 4 * j, last_key);
            total = total * exp(largest - top) + dot(e, vec4(1.0));
            largest = top;
        }
    }
    statistics[me] = vec2(largest, total);
    barrier();
    float row_largest = -1e30, row_total = 0.0;
    [[unroll]] for (uint s = 0; s < SUBGROUPS; ++s)
        for (uint i = 0; i < sharers; ++i)
            row_largest =
                max(row_largest, statistics[s * gl_SubgroupSize + my_row * sharers + i].x);
    [[unroll]] for (uint s = 0; s < SUBGROUPS; ++s)
        for (uint i = 0; i < sharers; ++i) {
            const vec2 part = statistics[s * gl_SubgroupSize + my_row * sharers + i];
            row_total += part.y * exp(part.x - row_largest);
        }

    Sums sums[HEAD / F];
    [[unroll]] for (uint d = 0; d < HEAD / F; ++d) sums[d] = Sums(0.0);
    for (uint first_key = begin; first_key < all_keys; first_key += step) {
        score_block(first_key);
        const uint tile = gl_SubgroupID * TILE;
        for (uint at = lane; at < KEYS * HEAD8; at += gl_SubgroupSize) {
            const uint row = at / HEAD8, column = at % HEAD8;
            const uint i = min(first_key + row, p.keys - 1);
            tiles[tile + row * ROW + column] =
                v[row_start(p.v, batch, i) / 8 + head * HEAD8 + column];
        }
        for (uint j = my_part; j < KEYS / 8; j += sharers) {
            uvec4 packed;
            [[unroll]] for (uint half_of = 0; half_of < 2; ++half_of) {
                const vec4 s = scaled_scores(scores_at + 8 * j + 4 * half_of);
                const vec4 e =
                    before(exp(min(s - row_largest, 0.0)), first_key + 8 * j + 4 * half_of, last_key);
                packed[2 * half_of] = packHalf2x16(e.xy);
                packed[2 * half_of + 1] = packHalf2x16(e.zw);
            }
            weights[weights_at + j] = packed;
        }
        subgroup_sync();
        [[unroll]] for (uint j = 0; j < KEYS / F; ++j) {
            Left weight;
            coopMatLoad(weight, weights, gl_SubgroupID * F * WEIGHT_ROW + j * F / 8, WEIGHT_ROW,
                        gl_CooperativeMatrixLayoutRowMajor);
            [[unroll]] for (uint d = 0; d < HEAD / F; ++d) {
                Right value;
                coopMatLoad(value, tiles, tile + j * F * ROW + d * F / 8, ROW,
                            gl_CooperativeMatrixLayoutRowMajor);
                sums[d] = coopMatMulAdd(weight, value, sums[d]);
            }
        }
    }

    // What the subgroups found is added up, sixteen columns at a time, in the scores' place.
    statistics[me].x = row_total;
    [[unroll]] for (uint d = 0; d < HEAD / F; ++d) {
        barrier();
        coopMatStore(sums[d], scores, gl_SubgroupID * SCORES, SCORE_ROW,
                     gl_CooperativeMatrixLayoutRowMajor);
        barrier();
        for (uint at = me; at < F * F / 4; at += THREADS) {
            const uint row = at / (F / 4), column = at % (F / 4) * 4;
            vec4 sum = vec4(0.0);
            [[unroll]] for (uint s = 0; s < SUBGROUPS; ++s)
                sum += four_scores(s * SCORES + row * SCORE_ROW + column);
            if (first_query + row < p.queries)
                y[(row_start(p.y, batch, first_query + row) + head * HEAD + d * F + column) / 4] =
                    store(sum / statistics[row * sharers].x);
        }
    }
}
