#version 460
// types: f16
// requires: GL_KHR_cooperative_matrix
// Flash attention on cooperative matrices: y = softmax(scale q k^T) v for each head, fp16 in and out,
// fp32 scores, statistics and sums. q, y (queries, heads * HEAD), k, v (keys, heads * HEAD).
// The first axis is the query, the second the head, the third the batch.
// Keys and values are read by their addresses: see eights.glsl.
//
// A workgroup has QUERY_GROUPS times F queries of one head and goes over the keys in rounds. A
// subgroup holds the scores of F queries against its share of a round's keys, BLOCKS matrices of
// them. Which thread holds which score is up to the driver, but maxima, exponentials and sums are taken
// element by element wherever they lie, and only one matrix of each has to be laid out in shared memory
// to be reduced along its rows. Where there are several rounds, the first pass over the keys finds each
// query's largest score, and the second computes the scores again and uses them. With ONLINE (an online
// softmax) there is one pass, in which the sums so far are scaled down when a much larger score turns up.
// The number that is subtracted from scores need not be the largest of them: it cancels out, as long as
// weights stay within fp16. Subgroups that share the keys agree on it at the end.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "shaders/attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 128;
layout(constant_id = 1) const uint QUERY_GROUPS = 1;
layout(constant_id = 2) const uint KEY_GROUPS = 4;    // subgroups that share the keys of a round
layout(constant_id = 3) const uint HEAD = 64;         // a multiple of F
layout(constant_id = 4) const uint CHUNKS = 1;        // of a round's keys, in shared memory in turn
layout(constant_id = 5) const uint CHUNK_BLOCKS = 4;  // of F keys, per subgroup
layout(constant_id = 6) const uint ALIKE = 0;         // 1: threads hold factors as they hold sums
layout(constant_id = 7) const uint ONLINE = 0;
const uint F = 16;  // fragments are F x F x F

layout(binding = 0) readonly buffer Q { uvec4 q[]; };
layout(binding = 1) readonly buffer K { uvec4 k[]; };
layout(binding = 2) readonly buffer V { uvec4 v[]; };
layout(binding = 3) writeonly buffer Y { uvec4 y[]; };
layout(push_constant) uniform Push { AttentionParams p; AttentionAddresses addresses; };

#include "shaders/common/eights.glsl"

uint me, head_at, keys_at, values_at;  // in eights
uvec4 query_at(uint i, uint column8) {
    return q[row_start(p.q, gl_WorkGroupID.z, i) / 8 + head_at + column8];
}
uvec4 key_at(uint i, uint column8) {
    return Eights(address(addresses.k)).at[keys_at + i * (p.k.row_stride / 8) + column8];
}
uvec4 value_at(uint i, uint column8) {
    return Eights(address(addresses.v)).at[values_at + i * (p.v.row_stride / 8) + column8];
}
void put(uint query, uint column8, vec4 low, vec4 high) {
    y[row_start(p.y, gl_WorkGroupID.z, query) / 8 + head_at + column8] =
        uvec4(store(low), store(high));
}

const uint BLOCKS = CHUNKS * CHUNK_BLOCKS;
const uint QUERIES = QUERY_GROUPS * F;
const uint CHUNK_KEYS = KEY_GROUPS * CHUNK_BLOCKS * F;
const uint ROUND_KEYS = CHUNKS * CHUNK_KEYS;

const uint HEAD8 = HEAD / 8;
const uint ROW = HEAD8 + 1;        // one load longer, against bank conflicts
const uint OUT_ROW = HEAD / 4 + 1;  // of the sums on their way out, in fours
const uint CHUNK_SIZE = CHUNK_KEYS * ROW;
const uint KEYS_SIZE = 2 * CHUNK_SIZE > QUERIES * ROW ? 2 * CHUNK_SIZE : QUERIES * ROW;
// After the keys: a matrix whose elements are the numbers of their columns.
const uint MATRIX_ROW = F / 4 + 1, WEIGHT_ROW = F / 8 + 1;
const uint NUMBERS_AT = KEYS_SIZE, NUMBERS_SIZE = F * MATRIX_ROW;
const uint SUMS_SIZE = KEY_GROUPS * QUERIES * OUT_ROW;
// After that, for each subgroup: a matrix whose rows are reduced, or two matrices of weights that
// become factors.
const uint OWN = 2 * F * WEIGHT_ROW;
const uint OWN_AT = NUMBERS_AT + NUMBERS_SIZE > SUMS_SIZE ? NUMBERS_AT + NUMBERS_SIZE : SUMS_SIZE;
shared uvec4 tile[OWN_AT + QUERY_GROUPS * KEY_GROUPS * OWN];
shared float reduced[THREADS];

#define Sums coopmat<float, gl_ScopeSubgroup, F, F, gl_MatrixUseAccumulator>
#define Weights coopmat<float16_t, gl_ScopeSubgroup, F, F, gl_MatrixUseAccumulator>
#define Left coopmat<float16_t, gl_ScopeSubgroup, F, F, gl_MatrixUseA>
#define Right coopmat<float16_t, gl_ScopeSubgroup, F, F, gl_MatrixUseB>

const uint LOADS = (CHUNK_KEYS * HEAD8 + THREADS - 1) / THREADS;
uvec4 ahead[LOADS];  // of the next chunk
uint chunk_at;       // where the last chunk lies
Left query[HEAD / F];
Sums scores[BLOCKS];
uint own_at, first_column, row, row_parts;  // this thread's part of a matrix laid out in `own`
#define own_four(j) tile[own_at + row * MATRIX_ROW + (first_column + j) / 4]

void subgroup_sync() {
    subgroupMemoryBarrierShared();
    subgroupBarrier();
}

void ask_keys(uint first) {
    [[unroll]] for (uint i = 0; i < LOADS; ++i) {
        const uint at = me + i * THREADS;
        ahead[i] = key_at(min(first + at / HEAD8, p.keys - 1), at % HEAD8);
    }
}
void ask_values(uint first) {
    [[unroll]] for (uint i = 0; i < LOADS; ++i) {
        const uint at = me + i * THREADS;
        ahead[i] = value_at(min(first + at / HEAD8, p.keys - 1), at % HEAD8);
    }
}
// Stores the chunk that was loaded ahead where no thread reads.
void put_chunk() {
    chunk_at = CHUNK_SIZE - chunk_at;  // no thread reads there: all have passed a barrier since
    [[unroll]] for (uint i = 0; i < LOADS; ++i) {
        const uint at = me + i * THREADS;
        if (at < CHUNK_KEYS * HEAD8) tile[chunk_at + at / HEAD8 * ROW + at % HEAD8] = ahead[i];
    }
    barrier();
}

// The first of the keys of this subgroup's part of a chunk.
uint my_keys() { return gl_SubgroupID / QUERY_GROUPS * CHUNK_BLOCKS * F; }

const float SLACK = ONLINE != 0 ? 8.0 : 0.0;  // a weight is 2 to the power of this at most
float row_top = -1e30;  // ONLINE: subtracted from the scores of this thread's row

// The largest of each row so far, in all of its columns: of `seen` and what came before.
Sums largest_with(Sums seen) {
    subgroup_sync();
    coopMatStore(seen, tile, own_at, MATRIX_ROW, gl_CooperativeMatrixLayoutRowMajor);
    subgroup_sync();
    vec4 top = vec4(-1e30);
    for (uint j = 0; j < F / row_parts; j += 4) top = max(top, uintBitsToFloat(own_four(j)));
    reduced[me] = max(max(top.x, top.y), max(top.z, top.w));
    subgroup_sync();
    for (uint i = 0; i < row_parts; ++i)
        row_top = max(row_top, reduced[gl_SubgroupID * gl_SubgroupSize + row * row_parts + i]);
    for (uint j = 0; j < F / row_parts; j += 4) own_four(j) = floatBitsToUint(vec4(row_top));
    subgroup_sync();
    Sums top_of_rows;
    coopMatLoad(top_of_rows, tile, own_at, MATRIX_ROW, gl_CooperativeMatrixLayoutRowMajor);
    subgroup_sync();
    return top_of_rows;
}

// Scores of the queries against the keys of a round, whose first chunk is being loaded. It ends by
// loading the first chunk of the round's values or, without `values_next`, of the next round's
// keys.
void score(uint first, bool values_next) {
    [[unroll]] for (uint c = 0; c < CHUNKS; ++c) {
        put_chunk();
        if (c + 1 < CHUNKS)
            ask_keys(first + (c + 1) * CHUNK_KEYS);
        else if (values_next)
            ask_values(first);
        else
            ask_keys(first + ROUND_KEYS);
        [[unroll]] for (uint b = 0; b < CHUNK_BLOCKS; ++b) {
            Sums s = Sums(0.0);
            [[unroll]] for (uint d = 0; d < HEAD / F; ++d) {
                Right key;
                coopMatLoad(key, tile, chunk_at + (my_keys() + b * F) * ROW + d * F / 8, ROW,
                            gl_CooperativeMatrixLayoutColumnMajor);
                s = coopMatMulAdd(query[d], key, s);
            }
            scores[c * CHUNK_BLOCKS + b] = s;
        }
    }
    // Scores past the last key are so low that their weight is 0. One test for all blocks: a branch
    // between them would make each wait for the one before it.
    if (first + ROUND_KEYS > p.keys) {
        Sums columns;
        coopMatLoad(columns, tile, NUMBERS_AT, MATRIX_ROW, gl_CooperativeMatrixLayoutRowMajor);
        [[unroll]] for (uint block = 0; block < BLOCKS; ++block) {
            const uint chunk = block / CHUNK_BLOCKS, b = block % CHUNK_BLOCKS;
            const float count = float(p.keys) - float(first + chunk * CHUNK_KEYS + my_keys() + b * F);
            [[unroll]] for (uint e = 0; e < columns.length(); ++e)
                scores[block][e] = columns[e] < count ? scores[block][e] : -2e30;
        }
    }
}

// The i-th of QUERIES parts of a row.
float reduced_part(uint of_row, uint i) {
    const uint group = i / row_parts;
    return reduced[(group * QUERY_GROUPS + of_row / F) * gl_SubgroupSize + of_row % F * row_parts +
                   i % row_parts];
}

// Numbers the columns of a matrix, loads the queries, and begins to load the first keys.
void load_queries(uint first_query, uint query_group) {
    for (uint at = me; at < F * F / 4; at += THREADS)
        tile[NUMBERS_AT + at / (F / 4) * MATRIX_ROW + at % (F / 4)] =
            floatBitsToUint(vec4(at % (F / 4) * 4) + vec4(0, 1, 2, 3));
    // Queries are loaded through the tile, zero past the last one.
    ask_keys(0);
    for (uint at = me; at < QUERIES * HEAD8; at += THREADS) {
        const uint i = first_query + at / HEAD8;
        const uvec4 eight = query_at(min(i, p.queries - 1), at % HEAD8);
        tile[at / HEAD8 * ROW + at % HEAD8] = i < p.queries ? eight : uvec4(0);
    }
    barrier();
    [[unroll]] for (uint d = 0; d < HEAD / F; ++d)
        coopMatLoad(query[d], tile, query_group * F * ROW + d * F / 8, ROW,
                    gl_CooperativeMatrixLayoutRowMajor);
    barrier();  // all threads have read them
}

// Adds up the sums of the key groups and divides them by the total of their weights.
void write_results(uint first_query) {
    for (uint at = me; at < QUERIES * HEAD8; at += THREADS) {
        const uint i = at / HEAD8, c8 = at % HEAD8;
        if (first_query + i >= p.queries) continue;
        float row_total = 0.0;
        for (uint j = 0; j < KEY_GROUPS * row_parts; ++j) row_total += reduced_part(i, j);
        vec4 low = vec4(0.0), high = vec4(0.0);
        [[unroll]] for (uint g = 0; g < KEY_GROUPS; ++g) {
            low += uintBitsToFloat(tile[(g * QUERIES + i) * OUT_ROW + 2 * c8]);
            high += uintBitsToFloat(tile[(g * QUERIES + i) * OUT_ROW + 2 * c8 + 1]);
        }
        put(first_query + i, c8, low / row_total, high / row_total);
    }
}

// Computes a block of queries, from `first_query` on.
void attend(uint first_query) {
    own_at = OWN_AT + gl_SubgroupID * OWN;
    row_top = -1e30;
    row_parts = gl_SubgroupSize / F;
    row = gl_SubgroupInvocationID / row_parts;
    first_column = gl_SubgroupInvocationID % row_parts * (F / row_parts);
    const uint query_group = gl_SubgroupID % QUERY_GROUPS;
    chunk_at = 0;

    load_queries(first_query, query_group);

    const float scale = p.scale * 1.44269504;  // exponentials are powers of two
    Sums level = Sums(-1e30);  // what is subtracted from scores, times the scale
    const bool again = p.keys > ROUND_KEYS;
    if (ONLINE == 0) {
        Sums largest = Sums(-1e30);
        for (uint first = 0; first < p.keys; first += ROUND_KEYS) {
            score(first, !again);
            [[unroll]] for (uint b = 0; b < BLOCKS; ++b)
                [[unroll]] for (uint e = 0; e < largest.length(); ++e)
                    largest[e] = max(largest[e], scores[b][e]);
        }
        if (again) ask_keys(0);

        subgroup_sync();
        coopMatStore(largest, tile, own_at, MATRIX_ROW, gl_CooperativeMatrixLayoutRowMajor);
        subgroup_sync();
        vec4 top = vec4(-1e30);
        for (uint j = 0; j < F / row_parts; j += 4)
            top = max(top, uintBitsToFloat(own_four(j)));
        reduced[me] = max(max(top.x, top.y), max(top.z, top.w));
        barrier();
        float row_largest = -1e30;
        for (uint i = 0; i < KEY_GROUPS * row_parts; ++i)
            row_largest = max(row_largest, reduced_part(query_group * F + row, i));
        for (uint j = 0; j < F / row_parts; j += 4)
            own_four(j) = floatBitsToUint(vec4(row_largest));
        subgroup_sync();
        coopMatLoad(largest, tile, own_at, MATRIX_ROW, gl_CooperativeMatrixLayoutRowMajor);
        [[unroll]] for (uint e = 0; e < level.length(); ++e) level[e] = largest[e] * scale;
    }

    Sums total = Sums(0.0), sums[HEAD / F];
    [[unroll]] for (uint d = 0; d < HEAD / F; ++d) sums[d] = Sums(0.0);
    for (uint first = 0; first < p.keys; first += ROUND_KEYS) {
        if (ONLINE != 0) {
            score(first, true);
            Sums seen = scores[0];
            [[unroll]] for (uint b = 1; b < BLOCKS; ++b)
                [[unroll]] for (uint e = 0; e < seen.length(); ++e)
                    seen[e] = max(seen[e], scores[b][e]);
            bool grown = false;
            [[unroll]] for (uint e = 0; e < seen.length(); ++e)
                grown = grown || seen[e] * scale > level[e] + SLACK;
            if (subgroupAny(grown)) {
                seen = largest_with(seen);
                [[unroll]] for (uint e = 0; e < seen.length(); ++e) {
                    const float higher = seen[e] * scale, shrink = exp2(level[e] - higher);
                    total[e] *= shrink;
                    [[unroll]] for (uint d = 0; d < HEAD / F; ++d) sums[d][e] *= shrink;
                    level[e] = higher;
                }
            }
        } else if (again) {
            score(first, true);
        }
        [[unroll]] for (uint c = 0; c < CHUNKS; ++c) {
            put_chunk();
            if (c + 1 < CHUNKS)
                ask_values(first + (c + 1) * CHUNK_KEYS);
            else if (again)
                ask_keys(first + ROUND_KEYS);
            [[unroll]] for (uint b = 0; b < CHUNK_BLOCKS; ++b) {
                Sums s = scores[c * CHUNK_BLOCKS + b];
                [[unroll]] for (uint e = 0; e < s.length(); ++e)
                    s[e] = exp2(fma(s[e], scale, -level[e]));
                total += s;
                Left weight;
                if (ALIKE != 0) {
                    [[unroll]] for (uint e = 0; e < s.length(); ++e) weight[e] = float16_t(s[e]);
                } else {
                    const uint weights_at = own_at + b % 2 * (F * WEIGHT_ROW);
                    coopMatStore(Weights(s), tile, weights_at, WEIGHT_ROW,
                                 gl_CooperativeMatrixLayoutRowMajor);
                    subgroup_sync();
                    coopMatLoad(weight, tile, weights_at, WEIGHT_ROW,
                                gl_CooperativeMatrixLayoutRowMajor);
                }
                [[unroll]] for (uint d = 0; d < HEAD / F; ++d) {
                    Right value;
                    coopMatLoad(value, tile, chunk_at + (my_keys() + b * F) * ROW + d * F / 8, ROW,
                                gl_CooperativeMatrixLayoutRowMajor);
                    sums[d] = coopMatMulAdd(weight, value, sums[d]);
                }
            }
        }
    }

    if (ONLINE != 0 && KEY_GROUPS > 1) {
        barrier();
        reduced[me] = row_top;
        barrier();
        for (uint i = 0; i < KEY_GROUPS * row_parts; ++i)
            row_top = max(row_top, reduced_part(query_group * F + row, i));
        for (uint j = 0; j < F / row_parts; j += 4) own_four(j) = floatBitsToUint(vec4(row_top));
        subgroup_sync();
        Sums top;
        coopMatLoad(top, tile, own_at, MATRIX_ROW, gl_CooperativeMatrixLayoutRowMajor);
        [[unroll]] for (uint e = 0; e < top.length(); ++e) {
            const float shrink = exp2(level[e] - top[e] * scale);
            total[e] *= shrink;
            [[unroll]] for (uint d = 0; d < HEAD / F; ++d) sums[d][e] *= shrink;
        }
    }

    subgroup_sync();
    coopMatStore(total, tile, own_at, MATRIX_ROW, gl_CooperativeMatrixLayoutRowMajor);
    subgroup_sync();
    vec4 all = vec4(0.0);
    for (uint j = 0; j < F / row_parts; j += 4) all += uintBitsToFloat(own_four(j));
    barrier();  // all threads have read the tile, and what was reduced before
    reduced[me] = dot(all, vec4(1.0));
    const uint sums_at = (gl_SubgroupID / QUERY_GROUPS * QUERIES + query_group * F) * OUT_ROW;
    [[unroll]] for (uint d = 0; d < HEAD / F; ++d)
        coopMatStore(sums[d], tile, sums_at + d * F / 4, OUT_ROW,
                     gl_CooperativeMatrixLayoutRowMajor);
    barrier();
    write_results(first_query);
}

void main() {
    me = gl_LocalInvocationIndex;
    head_at = gl_WorkGroupID.y * HEAD8;
    const uint kv_at = divide(gl_WorkGroupID.y, p.sharing) * HEAD8;
    keys_at = row_start(p.k, gl_WorkGroupID.z, 0) / 8 + kv_at;
    values_at = row_start(p.v, gl_WorkGroupID.z, 0) / 8 + kv_at;
    attend(gl_WorkGroupID.x * QUERIES);
}
