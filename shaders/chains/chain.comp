#version 460
// A chain of operations on a row, or on a few, one after the other in one dispatch: what decoding a
// word takes, of one sentence or of some. Weights are read once for all rows. Between dispatches a
// device drains and fills again, which takes longer than such an operation itself; here the workgroups
// stay, and meet where one operation needs what another has written (meeting.glsl).
// What does not depend on the others, a workgroup asks for before it waits for them.
//
// Weights f16; rows that are normalised and sums f32, other rows f16. See LinkParams.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#include "shaders/chains/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 256;
layout(constant_id = 1) const uint HEAD8 = 8;  // eights of a head
layout(constant_id = 2) const uint ACTIVATION = 0;
layout(constant_id = 3) const uint USES = 0;  // what there is among the links; the rest is left out
layout(constant_id = 4) const uint ROWS = 1;
layout(constant_id = 5) const uint EIGHTS = 512;  // of a row that a product is of, at most

layout(binding = 0) readonly buffer Links { LinkParams links[]; };
layout(binding = 1) coherent volatile buffer Meeting { uint arrived, left; } meeting;
layout(binding = 2) coherent volatile buffer Stuck { uint stuck; };
layout(push_constant) uniform Push { ChainParams p; };

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Weights { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Numbers { vec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Bias { float at[]; };
// Rows that other workgroups have written.
layout(buffer_reference, std430, buffer_reference_align = 16) coherent buffer Floats { vec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) coherent buffer Halves { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) coherent buffer Pairs { uvec2 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) coherent buffer Words { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) coherent buffer Singles { float at[]; };

const uint LINKS_AT_ONCE = 32;        // that a workgroup holds
const uint EIGHTS_EACH = (EIGHTS + THREADS - 1) / THREADS;  // of a row of x that a thread fetches
const uint GROUPS = THREADS / HEAD8;  // threads that take the same eight columns of v
const uint VALUES = (THREADS + GROUPS - 1) / GROUPS;

const bool PRODUCTS = (USES & (1u << link_product)) != 0;
const bool ATTENTION = (USES & (1u << link_attention)) != 0;
const bool NORMS = (USES & (1u << link_norm)) != 0;
const bool EMBEDDINGS = (USES & (1u << link_embedding)) != 0;
const bool PICKS = (USES & (1u << link_pick_part | 1u << link_pick_merge)) != 0;
const bool LAYER_NORMS = (USES & chain_layer_norms) != 0;
const bool RMS_NORMS = (USES & chain_rms_norms) != 0;
const bool PAIRS = (USES & chain_pairs) != 0;
const bool SHARED_HEADS = (USES & chain_shared_heads) != 0;

LinkParams l;  // the operation that this is about
#include "shaders/common/activation.glsl"
#include "shaders/common/best.glsl"
#include "shaders/common/reduce.glsl"

shared LinkParams program[LINKS_AT_ONCE];
// Rows of x, in fp16; in attention sums, in fp32, which have room for two from each thread.
shared uvec4 row[ROWS * EIGHTS + 4 * HEAD8];
shared vec4 parts[THREADS];                           // what subgroups tell each other
shared float weight[THREADS], last_weight;

uint me;
#include "shaders/chains/meeting.glsl"

struct Eight {
    vec4 low, high;
};
Eight unpacked(uvec4 v) { return Eight(load(v.xy), load(v.zw)); }
uint packed(vec2 v) { return packHalf2x16(clamp(v, -65504.0, 65504.0)); }
uvec2 address(uint words[2]) { return uvec2(words[0], words[1]); }

// ---- norms, by the whole workgroup: LN(x) = (x - mean) / sqrt(variance + eps) * gain + shift,
//      and RMSNorm(x) = x / sqrt(mean(x^2) + eps) * gain ----

// Of a link that has a norm: whether that is the first of these.
bool centred() { return LAYER_NORMS && (!RMS_NORMS || l.norm == link_layer_norm); }

Eight gain, shift;  // of the eight elements that this thread has
void ask_norm() {
    const uint at = 2 * min(me, l.k / 8 - 1);
    Numbers gains = Numbers(address(l.gain)), shifts = Numbers(address(l.shift));
    const bool gained = (LAYER_NORMS || RMS_NORMS) && l.norm != 0, shifted = gained && centred();
    gain.low = gained ? gains.at[at] : vec4(0.0);
    gain.high = gained ? gains.at[at + 1] : vec4(0.0);
    shift.low = shifted ? shifts.at[at] : vec4(0.0);
    shift.high = shifted ? shifts.at[at + 1] : vec4(0.0);
}

// The squares are those about the first element: where the mean is far from zero, that is nearer.
void normalize(out Eight v[ROWS]) {
    Floats x = Floats(address(l.x));
    const bool mine = 8 * me < l.k;
    const uint at = mine ? 2 * me : 0;
    float near[ROWS];
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        const uint start = r * (l.x_row / 4);
        v[r] = Eight(x.at[start + at], x.at[start + at + 1]);
        near[r] = centred() ? x.at[start].x : 0.0;
    }
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        v[r].low = mine ? v[r].low - near[r] : vec4(0.0);
        v[r].high = mine ? v[r].high - near[r] : vec4(0.0);
        const vec4 both = v[r].low + v[r].high;
        const vec4 squares = v[r].low * v[r].low + v[r].high * v[r].high;
        const vec2 sums = subgroupAdd(vec2(dot(both, vec4(1.0)), dot(squares, vec4(1.0))));
        if (subgroupElect()) parts[ROWS * gl_SubgroupID + r].xy = sums;
    }
    barrier();
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        vec2 all = vec2(0.0);
        for (uint i = 0; i < gl_NumSubgroups; ++i) all += parts[ROWS * i + r].xy;
        all /= float(l.k);
        if (!centred()) all.x = 0.0;
        const float scale = inversesqrt(max(all.y - all.x * all.x, 0.0) + l.number);
        v[r].low = (v[r].low - all.x) * scale * gain.low + shift.low;
        v[r].high = (v[r].high - all.x) * scale * gain.high + shift.high;
    }
}

void normalize_alone() {
    ask_norm();
    if (l.waits != 0) await();
    if (gl_WorkGroupID.x != 0) return;
    Eight v[ROWS];
    normalize(v);
    if (8 * me >= l.k) return;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        Floats(address(l.y)).at[r * (l.y_row / 4) + 2 * me] = v[r].low;
        Floats(address(l.y)).at[r * (l.y_row / 4) + 2 * me + 1] = v[r].high;
    }
}

// ---- products: a team of threads makes four columns of y, and each has three eights of them ----

uint lanes, lane;  // threads of a team, and which of them this is

// Column c of a team's four. Columns that belong together are two of one team's: the first ones of a
// head, say, and those that these are turned with.
uint column_of(uint unit, uint c) {
    const uint at = 4 * unit;
    if (!PAIRS || at >= l.paired) return at + c;
    const uint group = 2 * l.apart * divide(at, 2 * l.apart);
    return group + (at - group) / 2 + (c & 1) + (c >> 1) * l.apart;
}

// The cosine and the sine that a thread's column is turned by.
vec2 ask_turn(uint unit) {
    if (!PAIRS || l.pairing != link_turned || 4 * unit >= l.paired) return vec2(1.0, 0.0);
    const uint first = column_of(unit, me & 1);
    const uint pair = first - 2 * l.apart * divide(first, 2 * l.apart);
    Bias turns = Bias(address(l.turns));
    return vec2(turns.at[pair], turns.at[l.apart + pair]);
}

// v is a thread's column, after its activation.
float with_its_pair(float v, uint unit, vec2 turn) {
    const float other = subgroupShuffleXor(v, 2);
    if (4 * unit >= l.paired) return v;
    if (l.pairing == link_gated) return v * other;
    return v * turn.x + ((me & 2) == 0 ? -other : other) * turn.y;
}

// The weights of a thread. Past the end of a column they are the last ones, and x is zero there.
void ask(uint unit, out uvec4 w[4][3]) {
    const uint last = padded(l.k) / 8 - 1;
    [[unroll]] for (uint c = 0; c < 4; ++c) {
        const uint start = min(column_of(unit, c), l.n - 1) * (l.w_stride / 8);
        [[unroll]] for (uint s = 0; s < 3; ++s)
            w[c][s] = Weights(address(l.w)).at[start + min(lane + s * lanes, last)];
    }
}

// The sum of column c over the lanes of a subgroup, for lanes c, c + 4, c + 8 ...
float columns_sum(vec4 v) {
    const bool odd = (gl_SubgroupInvocationID & 1) != 0, second = (gl_SubgroupInvocationID & 2) != 0;
    const vec2 two = (odd ? v.yw : v.xz) + subgroupShuffleXor(odd ? v.xz : v.yw, 1);
    float one = (second ? two.y : two.x) + subgroupShuffleXor(second ? two.x : two.y, 2);
    for (uint far = 4; far < gl_SubgroupSize; far *= 2) one += subgroupShuffleXor(one, far);
    return one;
}

void multiply() {
    const uint eights = padded(l.k) / 8, units = padded(l.n) / 4;
    const bool normed = (LAYER_NORMS || RMS_NORMS) && l.norm != 0;
    const bool gated = PAIRS && l.pairing == link_gated;
    lanes = max(gl_SubgroupSize, 32);
    while (3 * lanes < eights) lanes *= 2;
    const uint wide = findLSB(lanes), each = findLSB(gl_SubgroupSize);
    lane = me & (lanes - 1);
    const uint team = (me >> wide) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint teams = (THREADS >> wide) * gl_NumWorkGroups.x;

    // Every lane ends with one of four columns of a row, and the first four lanes write the first row,
    // and so on. Teams that have nothing to do ask for what a neighbour asks for: drivers wait at once
    // for loads that are conditional.
    uint unit = team < units ? team : min(gl_WorkGroupID.x, units - 1);
    uint column = min(column_of(unit, me & 3), l.n - 1);
    const uint mine = min(lane >> 2, ROWS - 1);
    uvec4 w[4][3];
    ask(unit, w);
    float add = l.bias != 0 ? Bias(address(l.b)).at[column] : 0.0;
    vec2 turn = ask_turn(unit);
    ask_norm();
    if (l.waits != 0) await();
    float was = l.accumulate != 0 ? Singles(address(l.y)).at[mine * l.y_row + column] : 0.0;
    if (normed) {
        Eight v[ROWS];
        normalize(v);
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            if (me < eights)
                row[r * EIGHTS + me] = uvec4(packed(v[r].low.xy), packed(v[r].low.zw),
                                             packed(v[r].high.xy), packed(v[r].high.zw));
    } else {
        uvec4 v[ROWS * EIGHTS_EACH];
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            [[unroll]] for (uint i = 0; i < EIGHTS_EACH; ++i)
                v[r * EIGHTS_EACH + i] = Halves(address(l.x)).at[
                    r * (l.x_row / 8) + min(me + i * THREADS, eights - 1)];
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            [[unroll]] for (uint i = 0; i < EIGHTS_EACH; ++i)
                if (me + i * THREADS < eights)
                    row[r * EIGHTS + me + i * THREADS] = v[r * EIGHTS_EACH + i];
    }
    barrier();
    Eight x[3 * ROWS];
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        [[unroll]] for (uint s = 0; s < 3; ++s) {
            const uint i = lane + s * lanes;
            x[3 * r + s] = unpacked(i < eights ? row[r * EIGHTS + i] : uvec4(0));
        }

    for (uint first = 0;;) {  // the same for all threads
        unit = first + team;
        vec4 products[ROWS];
        [[unroll]] for (uint c = 0; c < 4; ++c) {
            vec4 of_column[ROWS];
            [[unroll]] for (uint r = 0; r < ROWS; ++r) of_column[r] = vec4(0.0);
            [[unroll]] for (uint s = 0; s < 3; ++s) {
                const Eight e = unpacked(w[c][s]);
                [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                    of_column[r] += x[3 * r + s].low * e.low;
                    of_column[r] += x[3 * r + s].high * e.high;
                }
            }
            [[unroll]] for (uint r = 0; r < ROWS; ++r)
                products[r][c] = (of_column[r].x + of_column[r].y) + (of_column[r].z + of_column[r].w);
        }
        float sum = 0.0;  // of this thread's row
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            const float of_row = columns_sum(products[r]);
            if (r == mine) sum = of_row;
            if (lanes != gl_SubgroupSize && gl_SubgroupInvocationID < 4)
                parts[ROWS * (me >> each) + r][me & 3] = of_row;
        }
        if (lanes != gl_SubgroupSize) {
            barrier();
            sum = 0.0;
            const uint of_team = (me & ~(lanes - 1)) >> each;
            for (uint i = 0; i < lanes >> each; ++i)
                sum += parts[ROWS * (of_team + i) + mine][me & 3];
            barrier();
        }
        float v = sum + add;
        if (l.activated != 0 && (!gated || (me & 2) == 0)) v = activate(v);
        if (PAIRS && l.pairing != 0) v = with_its_pair(v, unit, turn);
        const uint to = column_of(unit, me & 3);
        v = to < l.n ? v + was : 0.0;
        const float neighbour = subgroupShuffleXor(v, 1);
        if (lane < 4 * ROWS && (!gated || (me & 2) == 0) && unit < units) {
            const uint at = mine * l.y_row + to;
            if (l.half_out == 0)
                Singles(address(l.y)).at[at] = v;
            else if ((lane & 1) == 0)
                Words(address(l.y)).at[at / 2] = packed(vec2(v, neighbour));
        }
        first += teams;
        if (first >= units) break;
        unit = min(first + team, units - 1);
        column = min(column_of(unit, me & 3), l.n - 1);
        ask(unit, w);
        add = l.bias != 0 ? Bias(address(l.b)).at[column] : 0.0;
        turn = ask_turn(unit);
        was = l.accumulate != 0 ? Singles(address(l.y)).at[mine * l.y_row + column] : 0.0;
    }
}

void embed() {
    if (l.waits != 0) await();
    for (uint r = gl_WorkGroupID.x; r < ROWS; r += gl_NumWorkGroups.x) {
        const uint id = min(Words(address(l.x)).at[r * l.x_row], l.n - 1);
        for (uint i = me; i < padded(l.k) / 8; i += THREADS) {
            const Eight v = unpacked(Weights(address(l.w)).at[id * (l.w_stride / 8) + i]);
            Numbers position = Numbers(address(l.b));
            const uint at = r * (l.y_row / 4) + 2 * i;
            Floats(address(l.y)).at[at] = v.low + position.at[2 * i];
            Floats(address(l.y)).at[at + 1] = v.high + position.at[2 * i + 1];
        }
    }
}

// ---- attention: a workgroup a head of a row, a thread a key, then eight columns of some values ----

// Of all rows' heads, one after the other.
uint row_of(uint task) { return ROWS > 1 ? divide(task, l.heads) : 0; }
uint head_of(uint task) { return ROWS > 1 ? task - row_of(task) * l.heads : task; }
// Eights from the first row's keys, or its values, to those that belong to a head.
uint start_of(uint task, uint row_stride) {
    const uint keys = ROWS > 1 ? divide(row_of(task), l.together) : 0, head = head_of(task);
    return keys * (row_stride / 8) + (SHARED_HEADS ? divide(head, l.sharing) : head) * HEAD8;
}

// The last key and value may have been written just now: all others are asked for before that.
void ask_older(uint first, uint task, out uvec4 key[HEAD8], out uvec4 value[VALUES]) {
    const uint last = max(l.n, 2) - 2, j = min(first + me, last);
    const uint keys = start_of(task, l.w_row), values = start_of(task, l.b_row);
    [[unroll]] for (uint d = 0; d < HEAD8; ++d)
        key[d] = Halves(address(l.w)).at[keys + j * (l.w_stride / 8) + d];
    // Where there is no such value, its weight is zero.
    const uint group = me / HEAD8, column = me - group * HEAD8;
    [[unroll]] for (uint i = 0; i < VALUES; ++i) {
        const uint at = min(first + group + i * GROUPS, last);
        value[i] = Halves(address(l.b)).at[values + at * (l.b_stride / 8) + column];
    }
}

// In `row`, past the sums: the query in fp32, the last key and the last value.
const uint QUERY = ROWS * EIGHTS, KEY = QUERY + 2 * HEAD8, VALUE = KEY + HEAD8;

void fetch_latest(uint task) {
    if (me >= 3 * HEAD8) return;
    const uint which = me / HEAD8, column = me - which * HEAD8;
    const uvec2 from = address(which == 0 ? l.x : which == 1 ? l.w : l.b);
    const uint start = which == 0   ? row_of(task) * (l.x_row / 8) + head_of(task) * HEAD8
                       : which == 1 ? start_of(task, l.w_row) + (l.n - 1) * (l.w_stride / 8)
                                    : start_of(task, l.b_row) + (l.n - 1) * (l.b_stride / 8);
    const uvec4 v = Halves(from).at[start + column];
    if (which == 0) {
        const Eight e = unpacked(v);
        row[QUERY + 2 * column] = floatBitsToUint(e.low * l.number);
        row[QUERY + 2 * column + 1] = floatBitsToUint(e.high * l.number);
    } else {
        row[KEY + me - HEAD8] = v;
    }
}

void attend() {
    if (gl_WorkGroupID.x >= ROWS * l.heads) {
        if (l.waits != 0) await();
        return;
    }
    const uint group = me / HEAD8;
    uint task = gl_WorkGroupID.x, first = 0;
    uvec4 key[HEAD8], value[VALUES];
    ask_older(first, task, key, value);
    if (l.waits != 0) await();
    float largest, total;
    Eight sum;
    while (true) {
        if (first == 0) {
            fetch_latest(task);
            barrier();
            largest = -1e30;
            total = 0.0;
            sum = Eight(vec4(0.0), vec4(0.0));
        }
        const uint at = first + me;
        if (at == l.n - 1)
            [[unroll]] for (uint d = 0; d < HEAD8; ++d) key[d] = row[KEY + d];
        vec4 products = vec4(0.0);
        [[unroll]] for (uint d = 0; d < HEAD8; ++d) {
            const Eight k = unpacked(key[d]);
            products += uintBitsToFloat(row[QUERY + 2 * d]) * k.low;
            products += uintBitsToFloat(row[QUERY + 2 * d + 1]) * k.high;
        }
        const float score = at < l.n ? dot(products, vec4(1.0)) : -1e30;
        const float mine = subgroupMax(score);
        if (subgroupElect()) parts[gl_SubgroupID].x = mine;
        barrier();
        float top = largest;
        for (uint i = 0; i < gl_NumSubgroups; ++i) top = max(top, parts[i].x);
        const float e = at < l.n ? exp(score - top) : 0.0;
        weight[me] = at < l.n - 1 ? e : 0.0;
        if (at == l.n - 1) last_weight = e;
        const float subtotal = subgroupAdd(e);
        if (subgroupElect()) parts[gl_SubgroupID].y = subtotal;
        barrier();
        const float shrink = exp(largest - top);
        largest = top;
        total *= shrink;
        for (uint i = 0; i < gl_NumSubgroups; ++i) total += parts[i].y;
        sum.low *= shrink;
        sum.high *= shrink;
        if (l.n > 1)
            [[unroll]] for (uint i = 0; i < VALUES; ++i) {
                const uint j = group + i * GROUPS;
                const float part = j < THREADS ? weight[j] : 0.0;
                const Eight v = unpacked(value[i]);
                sum.low += part * v.low;
                sum.high += part * v.high;
            }
        first += THREADS;
        if (first >= l.n) {
            if (group < GROUPS) {
                row[2 * me] = floatBitsToUint(sum.low);
                row[2 * me + 1] = floatBitsToUint(sum.high);
            }
            barrier();
            if (me < 2 * HEAD8) {
                const Eight v = unpacked(row[VALUE + me / 2]);
                vec4 all = last_weight * ((me & 1) == 0 ? v.low : v.high);
                [[unroll]] for (uint g = 0; g < GROUPS; ++g)
                    all += uintBitsToFloat(row[2 * HEAD8 * g + me]);
                all /= total;
                const uint to = row_of(task) * (l.y_row / 4) + head_of(task) * 2 * HEAD8;
                Pairs(address(l.y)).at[to + me] = uvec2(packed(all.xy), packed(all.zw));
            }
            first = 0;
            task += gl_NumWorkGroups.x;
            if (task >= ROWS * l.heads) break;
        }
        barrier();  // nobody may overwrite a row or a weight before everybody has used it
        ask_older(first, task, key, value);
    }
}

// ---- the best of each row: what pick.part and pick.merge do, each workgroup with a slice ----

void pick_part() {
    if (l.waits != 0) await();
    Singles x = Singles(address(l.x));
    const uint slice = divide(l.n + gl_NumWorkGroups.x - 1, gl_NumWorkGroups.x);
    const uint begin = gl_WorkGroupID.x * slice, end = min(begin + slice, l.n);
    for (uint r = 0; r < ROWS; ++r) {
        const uint start = r * l.x_row;
        Best best = nothing_found;
        for (uint j = begin + me; j < end; j += THREADS)
            best = better(best, Best(x.at[start + j], j));
        best = workgroup_best(best);
        float mine = 0.0;
        for (uint j = begin + me; j < end; j += THREADS)
            if (!isnan(x.at[start + j])) mine += exp(x.at[start + j] - best.value);
        const float sum = workgroup_sum(mine);
        if (me == 0) {
            Words part = Words(address(l.y));
            const uint at = r * l.y_row + pick_words * gl_WorkGroupID.x;
            part.at[at] = floatBitsToUint(best.value);
            part.at[at + 1] = best.column;
            part.at[at + 2] = floatBitsToUint(sum);
        }
    }
}

void pick_merge() {
    if (l.waits != 0) await();
    Words part = Words(address(l.x));
    for (uint r = gl_WorkGroupID.x; r < ROWS; r += gl_NumWorkGroups.x) {
        const uint start = r * l.x_row;
        Best best = nothing_found;
        for (uint i = me; i < gl_NumWorkGroups.x; i += THREADS)
            best = better(best, Best(uintBitsToFloat(part.at[start + pick_words * i]),
                                     part.at[start + pick_words * i + 1]));
        best = workgroup_best(best);
        float mine = 0.0;
        for (uint i = me; i < gl_NumWorkGroups.x; i += THREADS)
            mine += uintBitsToFloat(part.at[start + pick_words * i + 2]) *
                    exp(uintBitsToFloat(part.at[start + pick_words * i]) - best.value);
        const float total = workgroup_sum(mine);
        if (me < 8) {
            Singles about = Singles(address(l.b));
            const uint to = r * l.b_row + me;
            Words(address(l.y)).at[r * l.y_row + me] = me == 0 ? best.column : 0;
            about.at[to] = me == 0 ? -log(total) : 0.0;
            about.at[to + l.b_stride] = me == 0 ? best.value + log(total) : 0.0;
            about.at[to + 2 * l.b_stride] = me == 0 ? float(best.column) : 0.0;
        }
    }
}

void main() {
    me = gl_LocalInvocationID.x;
    patience = p.patience;
    for (uint i = 0; i < p.links; ++i) {
        const uint at = i & (LINKS_AT_ONCE - 1);
        if (at == 0) {
            if (me < LINKS_AT_ONCE) program[me] = links[min(i + me, p.links - 1)];
            barrier();
        }
        l = program[at];
        if (PRODUCTS && l.kind == link_product) multiply();
        if (ATTENTION && l.kind == link_attention) attend();
        if (NORMS && l.kind == link_norm) normalize_alone();
        if (EMBEDDINGS && l.kind == link_embedding) embed();
        if (PICKS && l.kind == link_pick_part) pick_part();
        if (PICKS && l.kind == link_pick_merge) pick_merge();
        // Nobody may overwrite a row before everybody has used it.
        workgroup_barrier();
        if (l.arrives != 0) arrive();
    }
    leave();
}
