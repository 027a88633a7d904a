#version 460
// The k largest of all elements of x, largest first, equal ones in the order of their places.
// x (rows, columns) f32; values (1, k) f32; picks (1, k) u32: row * columns + column.
// Candidates are collected, and the rank of each is the number of candidates before it. Where there
// are few elements (ALL), every workgroup collects all of them and ranks some, with several threads
// for each. Otherwise one workgroup a batch collects the k largest: it finds the k-th by a radix
// select over digits of eight bits, the highest first. A NaN comes after every number, as -inf.
#extension GL_GOOGLE_include_directive : require
#include "shaders/rows/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint SLOTS = 8;  // for what is collected, in eights
layout(constant_id = 2) const bool ALL = false;

layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) writeonly buffer Values { float values[]; };
layout(binding = 2) writeonly buffer Picks { uint picks[]; };
layout(push_constant) uniform Push { SelectParams p; };

const uint digits = 256, group = 16;
shared uint with_digit[digits], in_group[digits / group];
shared uint chosen, ahead, kept;
shared uvec2 best[SLOTS];
const uint COUNTERS = ALL ? select_counters : 1;
shared uint counted[ALL ? THREADS : 1];

// The sort key of an element, 64 bits, larger for those that come first: no two are the same.
uvec2 order_of(float value, uint place) {
    const uint bits = floatBitsToUint(value == 0.0 ? 0.0 : value);
    const uint rising = (bits & 0x80000000u) == 0 ? bits | 0x80000000u : ~bits;
    return uvec2(isnan(value) ? 0 : rising, ~place);
}
bool comes_first(uvec2 a, uvec2 b) { return a.x > b.x || (a.x == b.x && a.y > b.y); }
float value_of(uvec2 order) {
    const uint bits = (order.x & 0x80000000u) != 0 ? order.x & 0x7fffffffu : ~order.x;
    return uintBitsToFloat(order.x == 0 ? 0xff800000u : bits);
}

// Four elements of a row lie together: the row of the i-th four, and the first of its columns.
uint fours() { return (p.columns + 3) / 4; }
uvec2 four_of(uint i) {
    const uint row = divide(i, fours());
    return uvec2(row, (i - row * fours()) * 4);
}
vec4 elements(uint batch, uvec2 at) { return x[(row_start(p.x, batch, at.x) + at.y) / 4]; }
uint place_of(uvec2 at, uint lane) { return at.x * p.columns + at.y + lane; }
bool is_there(uvec2 at, uint lane) { return at.y + lane < p.columns; }

// Finds as many digits of the k-th element as tell the k largest from the others: `begin`, with the
// mask `known`. `all` is the number of fours. With ALL, no digits are needed.
void find_kth(uint me, uint batch, uint all, out uvec2 known, out uvec2 begin) {
    known = begin = uvec2(0);
    uint wanted = p.k;  // its rank among the elements with these digits
    for (uint digit = 0; digit < (ALL ? 0 : 8); ++digit) {
        for (uint d = me; d < digits; d += THREADS) with_digit[d] = 0;
        barrier();
        const uint shift = 24 - digit % 4 * 8;
        uint last = 0, times = 0;  // neighbours mostly have the same high digits: counted together
        for (uint i = me; i < all; i += THREADS) {
            const uvec2 at = four_of(i);
            const vec4 four = elements(batch, at);
            [[unroll]] for (uint lane = 0; lane < 4; ++lane) {
                const uvec2 order = order_of(four[lane], place_of(at, lane));
                if (!is_there(at, lane) || (order & known) != begin) continue;
                const uint d = (digit < 4 ? order.x : order.y) >> shift & 255u;
                if (d != last && times > 0) {
                    atomicAdd(with_digit[last], times);
                    times = 0;
                }
                last = d;
                ++times;
            }
        }
        if (times > 0) atomicAdd(with_digit[last], times);
        barrier();
        for (uint g = me; g < digits / group; g += THREADS) {
            in_group[g] = 0;
            for (uint d = g * group; d < (g + 1) * group; ++d) in_group[g] += with_digit[d];
        }
        barrier();
        for (uint d = me; d < digits; d += THREADS) {
            uint above = 0;
            for (uint g = d / group + 1; g < digits / group; ++g) above += in_group[g];
            for (uint higher = d + 1; higher % group != 0; ++higher) above += with_digit[higher];
            if (above < wanted && wanted <= above + with_digit[d]) {
                chosen = d;
                ahead = above;
            }
        }
        if (me == 0) kept = 0;
        barrier();
        wanted -= ahead;
        const bool all_of_them = with_digit[chosen] == wanted;
        const uint mask = 255u << shift, value = chosen << shift;
        if (digit < 4) {
            known.x |= mask;
            begin.x |= value;
        } else {
            known.y |= mask;
            begin.y |= value;
        }
        barrier();
        if (all_of_them) break;
    }
}

void main() {
    const uint me = gl_LocalInvocationID.x, batch = gl_WorkGroupID.z;
    const uint all = p.rows * fours();
    uvec2 known, begin;
    find_kth(me, batch, all, known, begin);

    for (uint i = me; i < all; i += THREADS) {
        const uvec2 at = four_of(i);
        const vec4 four = elements(batch, at);
        [[unroll]] for (uint lane = 0; lane < 4; ++lane) {
            const uvec2 order = order_of(four[lane], place_of(at, lane));
            if (is_there(at, lane) && !comes_first(begin, order & known))
                best[ALL ? place_of(at, lane) : atomicAdd(kept, 1)] = order;
        }
    }
    const uint collected = ALL ? p.rows * p.columns : p.k;
    for (uint i = collected + me; i < SLOTS; i += THREADS) best[i] = uvec2(0);  // these come last
    barrier();
    const uint values_at = row_start(p.values, batch, 0), picks_at = row_start(p.picks, batch, 0);
    const uint at_once = THREADS / COUNTERS, part = me % COUNTERS;
    for (uint next = gl_WorkGroupID.x * at_once; next < collected;
         next += gl_NumWorkGroups.x * at_once) {
        const uint i = next + me / COUNTERS;
        const uvec2 mine = best[min(i, collected - 1)];
        uint before = 0;
        for (uint j = 8 * part; j < collected; j += 8 * COUNTERS)
            [[unroll]] for (uint e = 0; e < 8; ++e) before += comes_first(best[j + e], mine) ? 1 : 0;
        if (ALL) counted[me] = before;
        barrier();
        for (uint other = 1; other < COUNTERS; ++other) before += counted[me - part + other];
        if (part == 0 && i < collected && before < p.k) {
            values[values_at + before] = value_of(mine);
            picks[picks_at + before] = ~mine.y;
        }
        barrier();  // all threads have read them
    }
    const uint first = gl_WorkGroupID.x * THREADS + me, step = gl_NumWorkGroups.x * THREADS;
    for (uint i = p.k + first; i < padded(p.k); i += step) {  // padding is zero
        values[values_at + i] = 0.0;
        picks[picks_at + i] = 0;
    }
}
