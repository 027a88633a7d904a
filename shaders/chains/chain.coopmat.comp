#version 460
// requires: GL_KHR_cooperative_matrix
// A chain of operations on some hundred rows, one after the other in one dispatch: what a detector's
// decoder does with its queries. A product of so few rows takes a large GPU less time than to drain and
// fill again between two dispatches; here the workgroups stay, and meet where one operation needs what
// another has written (meeting.glsl). What does not depend on the others, a workgroup asks for before it
// waits for them. See chain.comp for the same of one row.
//
// Weights f16 in fragments; the stream and what is normalised f32, what products read f16. See LinkParams.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#include "shaders/chains/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 256;
layout(constant_id = 1) const uint SUBGROUPS = 8;
layout(constant_id = 2) const uint FM = 16;  // what the device multiplies at once
layout(constant_id = 3) const uint FN = 16;
layout(constant_id = 4) const uint FK = 16;
layout(constant_id = 5) const uint EIGHTS = 1;  // that a thread holds of a fragment of W
layout(constant_id = 6) const uint ALIKE = 0;   // 1: threads hold factors as they hold sums
layout(constant_id = 7) const uint HEAD = 32;   // columns of a head
layout(constant_id = 8) const uint CHUNKS = 1;  // of the keys, in shared memory in turn
layout(constant_id = 9) const uint CHUNK_BLOCKS = 3;  // of keys, that a subgroup has of a chunk
layout(constant_id = 10) const uint FOURS = 2;  // of a row that is normalised, that a thread has
layout(constant_id = 11) const uint POINTS = 1;  // of one head, that deformable attention has at most
layout(constant_id = 12) const uint USES = 0;   // what there is among the links; the rest is left out
layout(constant_id = 13) const uint IN_FOURS = 0;  // how sums are held: see fragment.coopmat.glsl
layout(constant_id = 14) const uint QUERY_GROUPS = 1;  // of 16 queries, that a workgroup has of a head

layout(binding = 0) readonly buffer Links { LinkParams links[]; };
layout(binding = 1) coherent volatile buffer Meeting { uint arrived, left; } meeting;
layout(binding = 2) coherent volatile buffer Stuck { uint stuck; };
layout(push_constant) uniform Push { ChainParams p; };

// Cooperative matrices come with Vulkan's memory model: meetings make what was written available and
// visible, where it is not private; single loads and stores need not say so.
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Fragments { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Numbers { vec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Cells { uvec2 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Floats { nonprivate vec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Halves { nonprivate uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Pairs { nonprivate uvec2 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Places { nonprivate vec2 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Singles { nonprivate float at[]; };

const uint LINKS_AT_ONCE = 16;  // that a workgroup holds
const bool PRODUCTS = (USES & (1u << link_product)) != 0;
const bool ATTENTION = (USES & (1u << link_attention)) != 0;
const bool NORMS = (USES & (1u << link_norm)) != 0;
const bool SUMS = (USES & (1u << link_sum)) != 0;
const bool DEFORMABLE = (USES & (1u << link_deformable)) != 0;
const bool BOXES = (USES & (1u << link_refine_boxes)) != 0;
const bool MOVES = (USES & (1u << link_move_boxes)) != 0;
const uint LANES = THREADS / SUBGROUPS;

shared LinkParams program[LINKS_AT_ONCE];
LinkParams l;  // the operation that this is about
uint me;

uvec2 address(uint words[2]) { return uvec2(words[0], words[1]); }
bool is_there(uint words[2]) { return (words[0] | words[1]) != 0; }
uvec2 halves(vec4 v) {
    const vec4 held = clamp(v, -65504.0, 65504.0);
    return uvec2(packHalf2x16(held.xy), packHalf2x16(held.zw));
}
// Four elements of what products or others read, `at` elements from an address on.
void write_four(uvec2 to, uint at, vec4 v) {
    if (l.half_out != 0)
        Pairs(to).at[at / 4] = halves(v);
    else
        Floats(to).at[at / 4] = v;
}

#define MEETING_SCOPE gl_ScopeQueueFamily
#define MEETING_WRITES gl_SemanticsMakeAvailable
#define MEETING_READS gl_SemanticsMakeVisible
#include "shaders/chains/meeting.glsl"
#define ACTIVATION l.activated
#include "shaders/common/activation.glsl"

// ---- products: a workgroup makes TILE x TILE elements of y. Its subgroups share the columns of x out
//      among them, so that many loads are on their way at once, and add up at the end. Drivers wait at
//      once for loads that are conditional: here all are made, at the last place there is if need be. ----

const uint TILE = 32;
const uint WIDE = 32;         // eights of a row of x in shared memory
const uint X_ROW = WIDE + 1;  // one longer, against bank conflicts
const uint X_LOADS = TILE * WIDE / THREADS;
const uint OWN_STEPS = WIDE * 8 / FK / SUBGROUPS;  // of a subgroup
const uint FRAGMENT = EIGHTS * LANES;         // of W, in eights
const uint SUMS_ROW = TILE / 4 + 1;           // of a subgroup's sums, in fours
const uint OUTS = TILE * TILE / 4 / THREADS;  // fours that a thread writes
const uint X_TILE = TILE * X_ROW, SUMS_TILE = SUBGROUPS * TILE * SUMS_ROW;
const uint OTHER_TILE = 2 * X_TILE > SUMS_TILE ? 2 * X_TILE : SUMS_TILE;  // one is filled, one is read

// ---- attention: a workgroup has some queries of a head, its subgroups share them and the keys ----

const uint KEY_GROUPS = SUBGROUPS / QUERY_GROUPS, ONLINE = 0, TILES = 1;
const uint F = FM;
uint head_at, kv_at;
uint all_queries() { return l.rows; }
uint all_keys() { return l.n; }
float score_scale() { return l.number; }
uvec4 query_at(uint i, uint column8) {
    return Halves(address(l.x)).at[i * (l.x_row / 8) + head_at + column8];
}
uvec4 key_at(uint i, uint column8) {
    return Halves(address(l.w)).at[i * (l.w_stride / 8) + kv_at + column8];
}
uvec4 value_at(uint i, uint column8) {
    return Halves(address(l.b)).at[i * (l.b_stride / 8) + kv_at + column8];
}
void put(uint query, uint column8, vec4 low, vec4 high) {
    Halves(address(l.y)).at[query * (l.y_row / 8) + head_at + column8] =
        uvec4(halves(low), halves(high));
}
#include "shaders/attention/attention.coopmat.glsl"

void attend_all() {
    if (l.waits != 0) await();
    const uint blocks = (l.rows + QUERIES - 1) / QUERIES;
    for (uint task = gl_WorkGroupID.x; task < blocks * l.heads; task += gl_NumWorkGroups.x) {
        const uint head = divide(task, blocks);
        head_at = head * HEAD8;
        kv_at = divide(head, l.sharing) * HEAD8;
        barrier();  // nobody takes the last one's sums out any more
        attend((task - head * blocks) * QUERIES);
    }
}

#include "shaders/products/fragment.coopmat.glsl"

uvec4 next_x[X_LOADS], next_w[OWN_STEPS][TILE / FN][EIGHTS];

void ask_x(uint first_row, uint first, uint eights) {
    [[unroll]] for (uint i = 0; i < X_LOADS; ++i) {
        const uint m = first_row + (me + i * THREADS) / WIDE;
        next_x[i] = Halves(address(l.x)).at[min(m, l.rows - 1) * (l.x_row / 8) +
                                            min(first + me % WIDE, eights - 1)];
    }
}

// The i-th step of this subgroup, from `first` on. Past the last one is the last one, where x is zero.
void ask_w(uint i, uint first_column, uint first, uint eights) {
    const uint steps = (eights * 8 + FK - 1) / FK, step_size = (l.n + FN - 1) / FN * FRAGMENT;
    const uint step = first * 8 / FK + gl_SubgroupID + i * SUBGROUPS;
    const uint at = first_column / FN * FRAGMENT + gl_SubgroupInvocationID +
                    min(step, steps - 1) * step_size;
    [[unroll]] for (uint j = 0; j < TILE / FN; ++j)
        [[unroll]] for (uint e = 0; e < EIGHTS; ++e)
            next_w[i][j][e] = Fragments(address(l.w)).at[at + j * FRAGMENT + e * LANES];
}

void multiply() {
    const uint eights = padded(l.k) / 8, row_tiles = (l.rows + TILE - 1) / TILE;
    const uint tiles = row_tiles * ((padded(l.n) + TILE - 1) / TILE);
    // What does not wait for the operation before it is begun by those who have less to do in that one.
    const uint groups = gl_NumWorkGroups.x;
    const uint mine = (gl_WorkGroupID.x + groups - l.busy) % groups;
    uint task = min(mine, tiles - 1);
    [[unroll]] for (uint i = 0; i < OWN_STEPS; ++i)
        ask_w(i, divide(task, row_tiles) * TILE, 0, eights);
    if (l.waits != 0) await();
    for (task = mine; task < tiles; task += groups) {
        const uint column_tile = divide(task, row_tiles), first_column = column_tile * TILE;
        const uint first_row = (task - column_tile * row_tiles) * TILE;
        ask_x(first_row, 0, eights);
        if (task != mine)
            [[unroll]] for (uint i = 0; i < OWN_STEPS; ++i) ask_w(i, first_column, 0, eights);
        // What this thread will write is added to this, in y or beside it.
        const bool beside = is_there(l.also);
        vec4 bias[OUTS], was[OUTS];
        [[unroll]] for (uint o = 0; o < OUTS; ++o) {
            const uint m = min(first_row + (me + o * THREADS) / (TILE / 4), l.rows - 1);
            const uint n = min(first_column + (me + o * THREADS) % (TILE / 4) * 4, padded(l.n) - 4);
            bias[o] = Numbers(l.bias != 0 ? address(l.b) : address(l.w)).at[l.bias != 0 ? n / 4 : 0];
            was[o] = Floats(beside ? address(l.gain) : address(l.y)).at[
                beside || l.accumulate != 0 ? (m * (beside ? l.w_row : l.y_row) + n) / 4 : 0];
        }

        PRODUCT_SUMS sums[TILE / FM][TILE / FN];
        [[unroll]] for (uint i = 0; i < TILE / FM; ++i)
            [[unroll]] for (uint j = 0; j < TILE / FN; ++j) sums[i][j] = PRODUCT_SUMS(0.0);
        barrier();  // nobody reads the last task's sums any more
        uint filled = 0;
        for (uint first = 0; first < eights; first += WIDE) {
            [[unroll]] for (uint i = 0; i < X_LOADS; ++i)
                tile[filled + (me + i * THREADS) / WIDE * X_ROW + me % WIDE] =
                    first + me % WIDE < eights ? next_x[i] : uvec4(0);
            barrier();
            const uint next = min(first + WIDE, eights - 1);
            ask_x(first_row, next, eights);
            [[unroll]] for (uint s = 0; s < OWN_STEPS; ++s) {
                RIGHT_FACTOR right[TILE / FN];
                [[unroll]] for (uint j = 0; j < TILE / FN; ++j) right[j] = right_factor(next_w[s][j]);
                ask_w(s, first_column, next, eights);
                [[unroll]] for (uint i = 0; i < TILE / FM; ++i) {
                    coopmat<float16_t, gl_ScopeSubgroup, FM, FK, gl_MatrixUseA> left;
                    coopMatLoad(left, tile,
                                filled + i * FM * X_ROW + (gl_SubgroupID + s * SUBGROUPS) * FK / 8,
                                X_ROW, gl_CooperativeMatrixLayoutRowMajor);
                    [[unroll]] for (uint j = 0; j < TILE / FN; ++j)
                        sums[i][j] = coopMatMulAdd(left, right[j], sums[i][j]);
                }
            }
            filled = X_TILE - filled;
        }
        barrier();
        [[unroll]] for (uint i = 0; i < TILE / FM; ++i)
            [[unroll]] for (uint j = 0; j < TILE / FN; ++j) {
                const uint at = (gl_SubgroupID * TILE + i * FM) * SUMS_ROW + j * FN / 4;
                if (IN_FOURS == 0)
                    coopMatStore(sums[i][j], tile, at, SUMS_ROW, gl_CooperativeMatrixLayoutRowMajor);
                else
                    [[unroll]] for (uint f = 0; f < 2; ++f)
                        tile[at + four_row(f) * SUMS_ROW + four_column() / 4] =
                            floatBitsToUint(four_of(sums[i][j], f));
            }
        barrier();
        [[unroll]] for (uint o = 0; o < OUTS; ++o) {
            const uint at = me + o * THREADS, m = first_row + at / (TILE / 4);
            const uint n = first_column + at % (TILE / 4) * 4;
            vec4 sum = vec4(0.0);
            [[unroll]] for (uint s = 0; s < SUBGROUPS; ++s)
                sum += uintBitsToFloat(
                    tile[(s * TILE + at / (TILE / 4)) * SUMS_ROW + at % (TILE / 4)]);
            if (l.bias != 0) sum += bias[o];
            vec4 v = activate(sum);
            if (l.accumulate != 0) v += was[o];
            if (m >= l.rows || n >= padded(l.n)) continue;
            write_four(address(l.y), m * l.y_row + n, before(v, n, l.n));
            if (beside)
                Pairs(address(l.also)).at[(m * l.also_row + n) / 4] = halves(before(v + was[o], n, l.n));
        }
    }
}

// ---- norms: a subgroup has a row ----

void normalize() {
    vec4 gain[FOURS], shift[FOURS], v[FOURS], position[FOURS];
    const uint fours = l.k / 4;
    [[unroll]] for (uint i = 0; i < FOURS; ++i) {
        const uint four = min(gl_SubgroupInvocationID + i * LANES, fours - 1);
        gain[i] = Numbers(address(l.gain)).at[four];
        shift[i] = Numbers(address(l.shift)).at[four];
    }
    if (l.waits != 0) await();
    Floats x = Floats(address(l.x));
    for (uint m = gl_SubgroupID * gl_NumWorkGroups.x + gl_WorkGroupID.x; m < l.rows;
         m += SUBGROUPS * gl_NumWorkGroups.x) {
        vec4 all = vec4(0.0);
        [[unroll]] for (uint i = 0; i < FOURS; ++i) {
            const uint four = gl_SubgroupInvocationID + i * LANES, at = min(four, fours - 1);
            v[i] = x.at[m * (l.x_row / 4) + at];
            position[i] = Floats(is_there(l.w) ? address(l.w) : address(l.x)).at[
                m * ((is_there(l.w) ? l.w_row : l.x_row) / 4) + at];
            if (four < fours) all += v[i];
        }
        const float mean = subgroupAdd(dot(all, vec4(1.0))) / float(l.k);
        vec4 squares = vec4(0.0);
        [[unroll]] for (uint i = 0; i < FOURS; ++i) {
            v[i] -= mean;
            if (gl_SubgroupInvocationID + i * LANES < fours) squares += v[i] * v[i];
        }
        const float variance = subgroupAdd(dot(squares, vec4(1.0))) / float(l.k);
        const float scale = 1.0 / sqrt(variance + l.number);
        [[unroll]] for (uint i = 0; i < FOURS; ++i) {
            const uint four = gl_SubgroupInvocationID + i * LANES;
            if (four >= fours) continue;
            v[i] = v[i] * scale * gain[i] + shift[i];
            x.at[m * (l.x_row / 4) + four] = v[i];
            if (is_there(l.y)) write_four(address(l.y), m * l.y_row + 4 * four, v[i]);
            if (is_there(l.also))
                write_four(address(l.also), m * l.also_row + 4 * four, v[i] + position[i]);
        }
    }
}

// ---- what threads do alone: a subgroup's are neighbours, and subgroups of all cores take turns ----

uint first_task() {
    return (gl_SubgroupID * gl_NumWorkGroups.x + gl_WorkGroupID.x) * LANES + gl_SubgroupInvocationID;
}
uint all_threads() { return THREADS * gl_NumWorkGroups.x; }

void add_up() {
    if (l.waits != 0) await();
    const uint fours = padded(l.n) / 4;
    for (uint task = first_task(); task < l.rows * fours; task += all_threads()) {
        const uint m = divide(task, fours), at = 4 * (task - m * fours);
        const vec4 v = Floats(address(l.x)).at[(m * l.x_row + at) / 4];
        const vec4 other = Floats(is_there(l.w) ? address(l.w) : address(l.x)).at[
            (m * (is_there(l.w) ? l.w_row : l.x_row) + at) / 4];
        write_four(address(l.y), m * l.y_row + at, is_there(l.w) ? v + other : v);
    }
}

#include "shaders/boxes/refined.glsl"

void refine() {
    if (l.waits != 0) await();
    for (uint m = first_task(); m < l.rows; m += all_threads()) {
        const vec4 from = Floats(address(l.b)).at[m * (l.b_row / 4)];
        const vec4 box = refined(Floats(address(l.x)).at[m * (l.x_row / 4)], logit_of(from));
        Floats(address(l.y)).at[m * (l.y_row / 4)] = box;
        Floats(address(l.y)).at[m * (l.y_row / 4) + 1] = vec4(0.0);  // padding
        write_four(address(l.also), m * l.also_row, box);
        write_four(address(l.also), m * l.also_row + 4, vec4(0.0));
    }
}

// Boxes y, refined in place by x W^T + b, once more as products read them (also), and the first layer of
// what is said of their places: gain = activation(y shift^T + turns). A subgroup has a row of x, of which
// a thread has eight elements, and fours of that layer.
const uint PLACE_FOURS = 4;

vec4 times(uvec2 weights, vec4 v) {
    return vec4(unpackHalf2x16(weights.x), unpackHalf2x16(weights.y)) * v;
}

void move_boxes() {
    const uint lane = gl_SubgroupInvocationID, eights = l.k / 8, fours = l.n / 4;
    const uint all_fours = padded(l.n) / 4;  // padding is zero
    uvec4 w[4];
    uvec2 place[PLACE_FOURS][4];
    vec4 shift[PLACE_FOURS];
    [[unroll]] for (uint o = 0; o < 4; ++o)
        w[o] = Fragments(address(l.w)).at[o * (l.w_stride / 8) + min(lane, eights - 1)];
    [[unroll]] for (uint i = 0; i < PLACE_FOURS; ++i) {
        const uint four = min(lane + i * LANES, fours - 1);
        shift[i] = Numbers(address(l.turns)).at[four];
        [[unroll]] for (uint o = 0; o < 4; ++o)
            place[i][o] = Cells(address(l.shift)).at[(4 * four + o) * (l.b_stride / 4)];
    }
    const vec4 bias = Numbers(address(l.b)).at[0];
    if (l.waits != 0) await();
    for (uint m = gl_SubgroupID * gl_NumWorkGroups.x + gl_WorkGroupID.x; m < l.rows;
         m += SUBGROUPS * gl_NumWorkGroups.x) {
        const uvec4 x = Halves(address(l.x)).at[m * (l.x_row / 8) + min(lane, eights - 1)];
        const vec4 from = Floats(address(l.y)).at[m * (l.y_row / 4)];
        const vec4 low = vec4(unpackHalf2x16(x.x), unpackHalf2x16(x.y));
        const vec4 high = vec4(unpackHalf2x16(x.z), unpackHalf2x16(x.w));
        vec4 deltas;
        [[unroll]] for (uint o = 0; o < 4; ++o) {
            const vec4 products = times(w[o].xy, low) + times(w[o].zw, high);
            deltas[o] = subgroupAdd(lane < eights ? dot(products, vec4(1.0)) : 0.0);
        }
        const vec4 box = refined(deltas + bias, logit_of(from));
        const uvec2 rounded = halves(box);
        if (lane == 0) {
            Floats(address(l.y)).at[m * (l.y_row / 4)] = box;
            Floats(address(l.y)).at[m * (l.y_row / 4) + 1] = vec4(0.0);  // padding
            Halves(address(l.also)).at[m * (l.also_row / 8)] = uvec4(rounded, 0, 0);
        }
        const vec4 held = vec4(unpackHalf2x16(rounded.x), unpackHalf2x16(rounded.y));
        [[unroll]] for (uint i = 0; i < PLACE_FOURS; ++i) {
            const uint four = lane + i * LANES;
            vec4 sum = shift[i];
            [[unroll]] for (uint o = 0; o < 4; ++o) sum[o] += dot(times(place[i][o], held), vec4(1.0));
            if (four < all_fours)
                Pairs(address(l.gain)).at[m * (l.b_row / 4) + four] =
                    halves(before(activate(sum), 4 * four, l.n));
        }
    }
}

vec4 cell_values(uint cell, uint j) { return load(Cells(address(l.x)).at[cell * l.x_row / 4 + j]); }
#include "shaders/deformable/cells.glsl"

// What a point is of: the first cell of its level, that level's size, and how many points are on it.
shared uvec4 level_of[POINTS];

// A thread has four columns, and asks for all points of their head at once.
void look_at_points(uint slot) {
    if (me < l.points) {
        uint level = 0, first = 0, on_level = l.level_points[0] & 0xffu, end = on_level;
        while (me >= end) {
            const uint size = program[slot].level_sizes[level];
            first += (size & 0xffffu) * (size >> 16);
            ++level;
            on_level = (program[slot].level_points[level / 4] >> (8 * (level % 4))) & 0xffu;
            end += on_level;
        }
        level_of[me] = uvec4(first, program[slot].level_sizes[level], on_level, 0);
    }
    if (l.waits != 0) await();
    barrier();
    const uint fours = l.n / 4;
    for (uint task = first_task(); task < l.rows * fours; task += all_threads()) {
        const uint query = divide(task, fours), j = task - query * fours, head = divide(4 * j, l.k);
        const uint weights = query * l.b_row + head * l.points;
        const uint offsets = query * (l.w_row / 2) + head * l.points;
        float share[POINTS];
        vec2 offset[POINTS];
        [[unroll]] for (uint i = 0; i < POINTS; ++i) {
            const uint point = min(i, l.points - 1);
            share[i] = Singles(address(l.b)).at[weights + point];
            offset[i] = Places(address(l.w)).at[offsets + point];
        }
        const vec4 box = Floats(address(l.also)).at[query * (l.also_row / 4)];
        float largest = share[0], all = 0.0;
        [[unroll]] for (uint i = 1; i < POINTS; ++i) largest = max(largest, share[i]);
        [[unroll]] for (uint i = 0; i < POINTS; ++i) {
            share[i] = i < l.points ? exp(share[i] - largest) : 0.0;
            all += share[i];
        }
        vec4 sum = vec4(0.0);
        [[unroll]] for (uint i = 0; i < POINTS; ++i) {
            const uvec4 level = level_of[min(i, l.points - 1)];
            const ivec2 size = ivec2(level.y & 0xffffu, level.y >> 16);
            const vec2 place =
                (box.xy + offset[i] / float(level.z) * box.zw * l.number) * vec2(size);
            sum += share[i] / all * between_cells(level.x, place, size, j);
        }
        Pairs(address(l.y)).at[(query * l.y_row) / 4 + j] = halves(sum);
    }
}

void main() {
    me = gl_LocalInvocationIndex;
    patience = p.patience;
    for (uint i = 0; i < p.links; ++i) {
        const uint at = i % LINKS_AT_ONCE;
        if (at == 0) {
            if (me < LINKS_AT_ONCE) program[me] = links[min(i + me, p.links - 1)];
            barrier();
        }
        l = program[at];
        if (PRODUCTS && l.kind == link_product) multiply();
        if (ATTENTION && l.kind == link_attention) attend_all();
        if (NORMS && l.kind == link_norm) normalize();
        if (SUMS && l.kind == link_sum) add_up();
        if (DEFORMABLE && l.kind == link_deformable) look_at_points(at);
        if (BOXES && l.kind == link_refine_boxes) refine();
        if (MOVES && l.kind == link_move_boxes) move_boxes();
        workgroup_barrier();
        if (l.arrives != 0) arrive();
    }
    leave();
}
