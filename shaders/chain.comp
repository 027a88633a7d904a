#version 460
// A chain of operations on single rows, one after the other in one dispatch: what decoding a word
// takes. Between dispatches a device drains and fills again, which takes longer than such an operation
// itself; here the workgroups stay, and meet where one operation needs what another has written. No
// more of them may be started than the device runs at once (Vulkan promises nothing about those that
// wait to start), and none waits forever: whoever runs out of patience says so and goes on.
// What does not depend on the others, a workgroup asks for before it waits for them.
//
// Weights f16; rows that are normalised and sums f32, other rows f16. See LinkParams.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 256;
layout(constant_id = 1) const uint NATIVE_HALVES = 0;
layout(constant_id = 2) const uint HEAD8 = 8;  // eights of a head

layout(binding = 0) readonly buffer Links { LinkParams links[]; };
layout(binding = 1) coherent volatile buffer Meeting { uint arrived, left; } meeting;
layout(binding = 2) coherent volatile buffer Stuck { uint stuck; };
layout(push_constant) uniform Push { ChainParams p; };

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Weights { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Numbers { vec4 at[]; };
// Rows that other workgroups have written.
layout(buffer_reference, std430, buffer_reference_align = 16) coherent buffer Floats { vec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) coherent buffer Halves { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) coherent buffer Pairs { uvec2 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) coherent buffer Words { uint at[]; };

const uint MOST_EIGHTS = 512;         // of a row of x
const uint MOST_FOURS = 2;            // fours of a normalised row that a thread holds
const uint GROUPS = THREADS / HEAD8;  // threads that take the same eight columns of v
const uint VALUES = (THREADS + GROUPS - 1) / GROUPS;

LinkParams l;  // the operation that this is about
#define ACTIVATION l.activation
#include "activation.glsl"

shared vec4 row[2 * MOST_EIGHTS];  // x, in fp32; the query and the sums of attention
shared vec4 parts[THREADS];        // what subgroups tell each other
shared float weight[THREADS];

uint me;
uint target = 0;    // how many workgroups will have arrived when all have
uint patience = 0;

struct Eight {
    vec4 low, high;
};
Eight unpacked(uvec4 v) {
    if (NATIVE_HALVES != 0)
        return Eight(vec4(unpackHalf2x16(v.x), unpackHalf2x16(v.y)),
                     vec4(unpackHalf2x16(v.z), unpackHalf2x16(v.w)));
    return Eight(unpack_halves(v.xy), unpack_halves(v.zw));
}
uint packed(vec2 v) { return packHalf2x16(clamp(v, -65504.0, 65504.0)); }
uvec2 address(uint words[2]) { return uvec2(words[0], words[1]); }

// A meeting has two halves, between which there is time to ask for what nobody has to write first.
// After the second, what everybody wrote before the first is visible to everybody.
void arrive() {
    memoryBarrierBuffer();
    barrier();
    target += gl_NumWorkGroups.x;
    if (me == 0) atomicAdd(meeting.arrived, 1);
}
void await() {
    if (me == 0) {
        while (meeting.arrived < target && patience > 0) --patience;
        if (meeting.arrived < target) {  // some drivers end a loop that takes too long
            patience = 0;
            stuck = 1;
            atomicOr(meeting.arrived, 1u << 31);  // nobody waits any more
        }
    }
    barrier();
}

// ---- norms: LN(x) = (x - mean) / sqrt(variance + eps) * gain + shift, by the whole workgroup ----

vec4 gains[MOST_FOURS], shifts[MOST_FOURS];
void ask_norm() {
    [[unroll]] for (uint i = 0; i < MOST_FOURS; ++i) {
        const uint j = min(me + i * THREADS, (l.k - 1) / 4);
        gains[i] = l.norm != 0 ? Numbers(address(l.gain)).at[j] : vec4(0.0);
        shifts[i] = l.norm != 0 ? Numbers(address(l.shift)).at[j] : vec4(0.0);
    }
}

// Into `row`. Every subgroup has a mean of its own, and squares about it, so that they wait for each
// other once and not twice.
void normalize() {
    Floats x = Floats(address(l.x));
    vec4 v[MOST_FOURS];
    vec4 sum = vec4(0.0);
    uint count = 0;  // elements of the row that this subgroup has
    [[unroll]] for (uint i = 0; i < MOST_FOURS; ++i) {
        const uint j = me + i * THREADS;
        v[i] = 4 * j < l.k ? before(x.at[j], 4 * j, l.k) : vec4(0.0);
        sum += v[i];
        const uint first = 4 * (gl_SubgroupID * gl_SubgroupSize + i * THREADS);
        count += min(max(l.k, first) - first, 4 * gl_SubgroupSize);
    }
    const float all = subgroupAdd(dot(sum, vec4(1.0)));
    const float middle = all / float(max(count, 1));
    vec4 squares = vec4(0.0);
    [[unroll]] for (uint i = 0; i < MOST_FOURS; ++i) {
        const vec4 off = before(v[i] - middle, 4 * (me + i * THREADS), l.k);
        squares += off * off;
    }
    const float spread = subgroupAdd(dot(squares, vec4(1.0)));
    if (subgroupElect()) parts[gl_SubgroupID] = vec4(all, spread, middle, float(count));
    barrier();
    float mean = 0.0, variance = 0.0;
    for (uint i = 0; i < gl_NumSubgroups; ++i) mean += parts[i].x;
    mean /= float(l.k);
    for (uint i = 0; i < gl_NumSubgroups; ++i) {
        const vec4 part = parts[i];
        variance += part.y + part.w * (part.z - mean) * (part.z - mean);
    }
    const float scale = inversesqrt(variance / float(l.k) + l.number);
    [[unroll]] for (uint i = 0; i < MOST_FOURS; ++i) {
        const uint j = me + i * THREADS;
        if (4 * j < padded(l.k))
            row[j] = before((v[i] - mean) * scale * gains[i] + shifts[i], 4 * j, l.k);
    }
}

void normalize_alone() {
    ask_norm();
    if (l.waits != 0) await();
    if (gl_WorkGroupID.x != 0) return;
    normalize();
    barrier();
    for (uint j = me; j < padded(l.k) / 4; j += THREADS) Floats(address(l.y)).at[j] = row[j];
}

// ---- products: a team of threads makes four columns of y, and each has three eights of them ----

uint lanes, lane;  // threads of a team, and which of them this is

// The weights of a thread. Past the end of a column they are the last ones, and x is zero there.
void ask(uint unit, out uvec4 w[4][3]) {
    const uint last = padded(l.k) / 8 - 1;
    [[unroll]] for (uint c = 0; c < 4; ++c) {
        const uint start = min(4 * unit + c, l.n - 1) * (l.w_stride / 8);
        [[unroll]] for (uint s = 0; s < 3; ++s)
            w[c][s] = Weights(address(l.w)).at[start + min(lane + s * lanes, last)];
    }
}

void multiply() {
    const uint eights = padded(l.k) / 8, units = padded(l.n) / 4;
    lanes = max(gl_SubgroupSize, 32);
    while (3 * lanes < eights) lanes *= 2;
    const uint shift = findLSB(lanes), each = findLSB(gl_SubgroupSize);
    lane = me & (lanes - 1);
    const uint team = (me >> shift) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint teams = (THREADS >> shift) * gl_NumWorkGroups.x;
    const bool biased = l.bias != 0 && lane == 0, adds = l.accumulate != 0 && lane == 0;

    uvec4 w[4][3];
    ask(min(team, units - 1), w);
    vec4 add = biased ? Numbers(address(l.b)).at[min(team, units - 1)] : vec4(0.0);
    ask_norm();
    if (l.waits != 0) await();
    vec4 was = adds ? Floats(address(l.y)).at[min(team, units - 1)] : vec4(0.0);
    if (l.norm != 0) {
        normalize();
    } else {
        uvec4 v[MOST_EIGHTS / THREADS];
        [[unroll]] for (uint i = 0; i < MOST_EIGHTS / THREADS; ++i)
            v[i] = Halves(address(l.x)).at[min(me + i * THREADS, eights - 1)];
        [[unroll]] for (uint i = 0; i < MOST_EIGHTS / THREADS; ++i) {
            const Eight e = unpacked(v[i]);
            row[2 * (me + i * THREADS)] = e.low;
            row[2 * (me + i * THREADS) + 1] = e.high;
        }
    }
    barrier();
    vec4 low[3], high[3];
    [[unroll]] for (uint s = 0; s < 3; ++s) {
        const uint i = lane + s * lanes;
        low[s] = i < eights ? row[2 * i] : vec4(0.0);
        high[s] = i < eights ? row[2 * i + 1] : vec4(0.0);
    }

    for (uint first = 0; first < units; first += teams) {  // the same for all threads
        const uint unit = first + team;
        vec4 sum;
        [[unroll]] for (uint c = 0; c < 4; ++c) {
            vec4 products = vec4(0.0);
            [[unroll]] for (uint s = 0; s < 3; ++s) {
                const Eight e = unpacked(w[c][s]);
                products += low[s] * e.low;
                products += high[s] * e.high;
            }
            sum[c] = (products.x + products.y) + (products.z + products.w);
        }
        const vec4 more = add, before_that = was;
        if (first + teams < units) {
            const uint next = min(unit + teams, units - 1);
            ask(next, w);
            if (biased) add = Numbers(address(l.b)).at[next];
            if (adds) was = Floats(address(l.y)).at[next];
        }
        sum = subgroupAdd(sum);
        if (lanes != gl_SubgroupSize) {
            if (subgroupElect()) parts[me >> each] = sum;
            barrier();
            sum = vec4(0.0);
            const uint of_team = (me & ~(lanes - 1)) >> each;
            for (uint i = 0; i < lanes >> each; ++i) sum += parts[of_team + i];
            barrier();
        }
        if (lane == 0 && unit < units) {
            const vec4 v = before(activate(sum + more) + before_that, 4 * unit, l.n);
            if (l.half_out != 0)
                Pairs(address(l.y)).at[unit] = uvec2(packed(v.xy), packed(v.zw));
            else
                Floats(address(l.y)).at[unit] = v;
        }
    }
}

void embed() {
    if (l.waits != 0) await();
    if (gl_WorkGroupID.x != 0) return;
    const uint id = min(Words(address(l.x)).at[0], l.n - 1);
    for (uint i = me; i < padded(l.k) / 8; i += THREADS) {
        const Eight v = unpacked(Weights(address(l.w)).at[id * (l.w_stride / 8) + i]);
        Numbers position = Numbers(address(l.b));
        Floats(address(l.y)).at[2 * i] = v.low + position.at[2 * i];
        Floats(address(l.y)).at[2 * i + 1] = v.high + position.at[2 * i + 1];
    }
}

// ---- attention: a workgroup a head, a thread a key, then eight columns of some values ----

void ask_keys(uint first, uint head, out uvec4 key[HEAD8], out uvec4 value[VALUES]) {
    const uint j = min(first + me, l.n - 1);
    [[unroll]] for (uint d = 0; d < HEAD8; ++d)
        key[d] = Halves(address(l.w)).at[j * (l.w_stride / 8) + head * HEAD8 + d];
    // Where there is no such value, its weight is zero.
    const uint group = me / HEAD8, column = me - group * HEAD8;
    [[unroll]] for (uint i = 0; i < VALUES; ++i) {
        const uint at = min(first + group + i * GROUPS, l.n - 1);
        value[i] = Halves(address(l.b)).at[at * (l.b_stride / 8) + head * HEAD8 + column];
    }
}

void attend() {
    const uint head = gl_WorkGroupID.x, group = me / HEAD8, each = findLSB(gl_SubgroupSize);
    const uint sums_at = 2 * HEAD8;  // in `row`, past the query
    uvec4 key[HEAD8], value[VALUES];
    if (l.early != 0 && head < l.heads) {
        ask_keys(0, head, key, value);
    } else {
        [[unroll]] for (uint d = 0; d < HEAD8; ++d) key[d] = uvec4(0);
        [[unroll]] for (uint i = 0; i < VALUES; ++i) value[i] = uvec4(0);
    }
    if (l.waits != 0) await();
    for (uint h = head; h < l.heads; h += gl_NumWorkGroups.x) {
        const uvec4 q = Halves(address(l.x)).at[h * HEAD8 + min(me, HEAD8 - 1)];
        if (l.early == 0 || h != head) ask_keys(0, h, key, value);
        if (me < HEAD8) {
            const Eight e = unpacked(q);
            row[2 * me] = e.low * l.number;
            row[2 * me + 1] = e.high * l.number;
        }
        barrier();
        float largest = -1e30, total = 0.0;
        Eight sum = Eight(vec4(0.0), vec4(0.0));
        for (uint first = 0; first < l.n; first += THREADS) {
            if (first > 0) ask_keys(first, h, key, value);
            const uint count = min(THREADS, l.n - first);
            vec4 products = vec4(0.0);
            [[unroll]] for (uint d = 0; d < HEAD8; ++d) {
                const Eight k = unpacked(key[d]);
                products += row[2 * d] * k.low;
                products += row[2 * d + 1] * k.high;
            }
            // Every subgroup has its own largest score, and weights below that one.
            const float score = me < count ? dot(products, vec4(1.0)) : -1e30;
            const float mine = subgroupMax(score);
            const float e = me < count ? exp(score - mine) : 0.0;
            weight[me] = e;
            const float subtotal = subgroupAdd(e);
            if (subgroupElect()) parts[gl_SubgroupID] = vec4(mine, subtotal, 0.0, 0.0);
            barrier();
            float top = largest;
            for (uint i = 0; i < gl_NumSubgroups; ++i) top = max(top, parts[i].x);
            const float shrink = exp(largest - top);
            total *= shrink;
            sum.low *= shrink;
            sum.high *= shrink;
            for (uint i = 0; i < gl_NumSubgroups; ++i)
                total += parts[i].y * exp(parts[i].x - top);
            largest = top;
            [[unroll]] for (uint i = 0; i < VALUES; ++i) {
                const uint j = min(group + i * GROUPS, THREADS - 1);
                if (group < GROUPS && group + i * GROUPS < count) {
                    const float part = weight[j] * exp(parts[j >> each].x - top);
                    const Eight v = unpacked(value[i]);
                    sum.low += part * v.low;
                    sum.high += part * v.high;
                }
            }
            barrier();  // nobody may overwrite a weight before everybody has used it
        }
        if (group < GROUPS) {
            row[sums_at + 2 * me] = sum.low;
            row[sums_at + 2 * me + 1] = sum.high;
        }
        barrier();
        if (me < 2 * HEAD8) {
            vec4 all = vec4(0.0);
            [[unroll]] for (uint g = 0; g < GROUPS; ++g) all += row[sums_at + 2 * HEAD8 * g + me];
            all /= total;
            Pairs(address(l.y)).at[h * 2 * HEAD8 + me] = uvec2(packed(all.xy), packed(all.zw));
        }
        barrier();
    }
}

void main() {
    me = gl_LocalInvocationID.x;
    patience = p.patience;
    LinkParams next = links[0];
    for (uint i = 0; i < p.links; ++i) {
        l = next;
        next = links[min(i + 1, p.links - 1)];
        switch (l.kind) {
            case link_product: multiply(); break;
            case link_attention: attend(); break;
            case link_norm: normalize_alone(); break;
            default: embed();
        }
        barrier();  // nobody may overwrite a row before everybody has used it
        if (next.waits != 0 && i + 1 < p.links) arrive();
    }
    // The last one to leave makes room for the next chain.
    if (me == 0 && atomicAdd(meeting.left, 1) == gl_NumWorkGroups.x - 1) {
        meeting.arrived = 0;
        meeting.left = 0;
    }
}
