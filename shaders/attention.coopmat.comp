#version 460
// attention.comp on cooperative matrices: y = softmax(scale q k^T) v for each head, fp16 in and out,
// fp32 scores, statistics and sums. q, y (queries, heads * HEAD), k, v (keys, heads * HEAD).
// A subgroup holds 16 queries. Which thread holds which element of a cooperative matrix is the
// driver's secret, so sums cannot be rescaled when a larger score turns up; instead the keys are gone
// over twice: first for each row's largest score and sum of exponentials, then for the product.
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
layout(constant_id = 2) const uint HEAD = 64;    // a multiple of 16
layout(constant_id = 3) const uint KEYS = 64;    // of a block; at least 16 * SUBGROUPS
layout(constant_id = 4) const uint CAUSAL = 0;   // query i sees keys 0 .. i + causal_offset
const uint F = 16;                               // fragments are 16 x 16 x 16

layout(binding = 0) readonly buffer Q { uvec4 q[]; };
layout(binding = 1) readonly buffer K { uvec4 k[]; };
layout(binding = 2) readonly buffer V { uvec4 v[]; };
layout(binding = 3) writeonly buffer Y { uvec2 y[]; };
layout(push_constant) uniform Push { AttentionParams p; };

const uint HEAD8 = HEAD / 8;
const uint ROW = HEAD8 + 1;           // one load longer, against bank conflicts
const uint SCORE_ROW = KEYS + 4;
const uint WEIGHT_ROW = KEYS / 8 + 1;
shared uvec4 keys_tile[KEYS * ROW], values_tile[KEYS * ROW];
shared float scores[SUBGROUPS * F * SCORE_ROW];
shared uvec4 weights[SUBGROUPS * F * WEIGHT_ROW];
shared vec2 statistics[THREADS];

#define Sums coopmat<float, gl_ScopeSubgroup, F, F, gl_MatrixUseAccumulator>
#define Left coopmat<float16_t, gl_ScopeSubgroup, F, F, gl_MatrixUseA>
#define Right coopmat<float16_t, gl_ScopeSubgroup, F, F, gl_MatrixUseB>

Left query[HEAD / F];

vec4 four_scores(uint at) {
    return vec4(scores[at], scores[at + 1], scores[at + 2], scores[at + 3]);
}

void subgroup_sync() {
    subgroupMemoryBarrierShared();
    subgroupBarrier();
}

// This subgroup's 16 queries against the block of keys in shared memory, laid out in `scores`.
void score_block() {
    [[unroll]] for (uint j = 0; j < KEYS / F; ++j) {
        Sums s = Sums(0.0);
        [[unroll]] for (uint d = 0; d < HEAD / F; ++d) {
            Right key;
            coopMatLoad(key, keys_tile, j * F * ROW + d * F / 8, ROW,
                        gl_CooperativeMatrixLayoutColumnMajor);
            s = coopMatMulAdd(query[d], key, s);
        }
        coopMatStore(s, scores, gl_SubgroupID * F * SCORE_ROW + j * F, SCORE_ROW,
                     gl_CooperativeMatrixLayoutRowMajor);
    }
}

void main() {
    const uint me = gl_LocalInvocationIndex, lane = gl_SubgroupInvocationID;
    const uint head = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint first_query = gl_WorkGroupID.x * SUBGROUPS * F;

    // Queries come through the keys' tile, zero past the last one.
    for (uint at = me; at < SUBGROUPS * F * HEAD8; at += THREADS) {
        const uint row = at / HEAD8, column = at % HEAD8;
        const uint i = first_query + row;
        keys_tile[row * ROW + column] =
            i < p.queries ? q[row_start(p.q, batch, i) / 8 + head * HEAD8 + column] : uvec4(0);
    }
    barrier();
    [[unroll]] for (uint d = 0; d < HEAD / F; ++d)
        coopMatLoad(query[d], keys_tile, gl_SubgroupID * F * ROW + d * F / 8, ROW,
                    gl_CooperativeMatrixLayoutRowMajor);

    // Several lanes share a row of the scores, each with its own eights of columns.
    const uint sharers = gl_SubgroupSize / F;
    const uint my_row = lane / sharers, my_part = lane % sharers;
    const uint my_query = first_query + gl_SubgroupID * F + my_row;
    const uint scores_at = (gl_SubgroupID * F + my_row) * SCORE_ROW;
    const uint weights_at = (gl_SubgroupID * F + my_row) * WEIGHT_ROW;
    uint last_key = p.keys;  // of those that my query sees
    uint all_keys = p.keys;  // of those that any query of the workgroup sees
    if (CAUSAL != 0) {
        last_key = min(last_key, my_query + p.causal_offset + 1);
        all_keys = min(all_keys, first_query + SUBGROUPS * F + p.causal_offset);
    }

    float largest = -1e30, total = 0.0;
    for (uint first_key = 0; first_key < all_keys; first_key += KEYS) {
        barrier();
        for (uint at = me; at < KEYS * HEAD8; at += THREADS) {
            const uint row = at / HEAD8, column = at % HEAD8;
            const uint i = min(first_key + row, p.keys - 1);
            keys_tile[row * ROW + column] = k[row_start(p.k, batch, i) / 8 + head * HEAD8 + column];
        }
        barrier();
        score_block();
        subgroup_sync();
        for (uint j = my_part; j < KEYS / 4; j += sharers) {
            const vec4 s = before(four_scores(scores_at + 4 * j) * p.scale,
                                  first_key + 4 * j, last_key, -1e30);
            const float top = max(max(max(s.x, s.y), max(s.z, s.w)), largest);
            const vec4 e = before(exp(s - top), first_key + 4 * j, last_key);
            total = total * exp(largest - top) + dot(e, vec4(1.0));
            largest = top;
        }
        subgroup_sync();
    }
    statistics[me] = vec2(largest, total);
    subgroup_sync();
    float row_largest = -1e30, row_total = 0.0;
    for (uint i = 0; i < sharers; ++i)
        row_largest = max(row_largest, statistics[me - my_part + i].x);
    for (uint i = 0; i < sharers; ++i) {
        const vec2 part = statistics[me - my_part + i];
        row_total += part.y * exp(part.x - row_largest);
    }

    Sums sums[HEAD / F];
    [[unroll]] for (uint d = 0; d < HEAD / F; ++d) sums[d] = Sums(0.0);
    for (uint first_key = 0; first_key < all_keys; first_key += KEYS) {
        barrier();
        for (uint at = me; at < KEYS * HEAD8; at += THREADS) {
            const uint row = at / HEAD8, column = at % HEAD8;
            const uint i = min(first_key + row, p.keys - 1);
            keys_tile[row * ROW + column] = k[row_start(p.k, batch, i) / 8 + head * HEAD8 + column];
            values_tile[row * ROW + column] =
                v[row_start(p.v, batch, i) / 8 + head * HEAD8 + column];
        }
        barrier();
        score_block();
        subgroup_sync();
        for (uint j = my_part; j < KEYS / 8; j += sharers) {
            uvec4 packed;
            [[unroll]] for (uint half_of = 0; half_of < 2; ++half_of) {
                const vec4 s = four_scores(scores_at + 8 * j + 4 * half_of) * p.scale;
                const vec4 e =
                    before(exp(s - row_largest), first_key + 8 * j + 4 * half_of, last_key);
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
                coopMatLoad(value, values_tile, j * F * ROW + d * F / 8, ROW,
                            gl_CooperativeMatrixLayoutRowMajor);
                sums[d] = coopMatMulAdd(weight, value, sums[d]);
            }
        }
    }

    // Out through the scores' place, sixteen columns at a time.
    [[unroll]] for (uint d = 0; d < HEAD / F; ++d) {
        subgroup_sync();
        coopMatStore(sums[d], scores, gl_SubgroupID * F * SCORE_ROW, SCORE_ROW,
                     gl_CooperativeMatrixLayoutRowMajor);
        subgroup_sync();
        if (my_query < p.queries)
            for (uint j = my_part; j < F / 4; j += sharers)
                y[(row_start(p.y, batch, my_query) + head * HEAD + d * F) / 4 + j] =
                    store(four_scores(scores_at + 4 * j) / row_total);
    }
}
