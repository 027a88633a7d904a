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
layout(buffer_reference, std430, buffer_reference_align = 8) coherent buffer Pairs { vec2 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) coherent buffer Words { uint at[]; };

const uint MOST_EIGHTS = 512;                  // of a row of x
const uint DEPTH = 6;                          // eights of a column that a thread asks for at once
const uint MOST_FOURS = 2;                     // fours of a normalised row that a thread holds
const uint GROUPS = THREADS / HEAD8;           // threads that take the same eight columns of v
const uint VALUES = (THREADS + GROUPS - 1) / GROUPS;

LinkParams l;  // the operation that this is about
#define ACTIVATION l.activation
#include "activation.glsl"
#include "reduce.glsl"

shared vec4 row[2 * MOST_EIGHTS];      // x, in fp32; the parts of attention's sums
shared vec2 parts[THREADS];
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
uvec4 packed(Eight v) {
    return uvec4(packed(v.low.xy), packed(v.low.zw), packed(v.high.xy), packed(v.high.zw));
}
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

// ---- products: `lanes` threads share two columns of y ----

uvec4 ahead[2][DEPTH];
uint lanes, lane, units, team, teams;

void share_out() {
    // More threads for few columns; two columns are a word of halves.
    units = padded(l.n) / 2;
    lanes = units <= THREADS / 32 * gl_NumWorkGroups.x ? 64 : 32;
    lanes = max(lanes, gl_SubgroupSize);
    const uint shift = findLSB(lanes);
    lane = me & (lanes - 1);
    team = (me >> shift) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    teams = (THREADS >> shift) * gl_NumWorkGroups.x;
}

void ask(uint unit, uint from) {
    Weights w = Weights(address(l.w));
    const uint eights = padded(l.k) / 8;
    [[unroll]] for (uint c = 0; c < 2; ++c) {
        const uint start = min(2 * unit + c, l.n - 1) * (l.w_stride / 8);
        [[unroll]] for (uint s = 0; s < DEPTH; ++s) {
            const uint i = from + lane + s * lanes;
            ahead[c][s] = i < eights ? w.at[start + i] : uvec4(0);
        }
    }
}

// LN(x) = (x - mean) / sqrt(variance + eps) * gain + shift, into `row`, by the whole workgroup.
vec4 gains[MOST_FOURS], shifts[MOST_FOURS];
void ask_norm() {
    [[unroll]] for (uint i = 0; i < MOST_FOURS; ++i) {
        const uint j = min(me + i * THREADS, (l.k - 1) / 4);
        gains[i] = Numbers(address(l.gain)).at[j];
        shifts[i] = Numbers(address(l.shift)).at[j];
    }
}
void normalize() {
    Floats x = Floats(address(l.x));
    vec4 v[MOST_FOURS];
    vec4 sum = vec4(0.0);
    [[unroll]] for (uint i = 0; i < MOST_FOURS; ++i) {
        const uint j = me + i * THREADS;
        v[i] = 4 * j < l.k ? before(x.at[j], 4 * j, l.k) : vec4(0.0);
        sum += v[i];
    }
    const float mean = workgroup_sum(dot(sum, vec4(1.0))) / float(l.k);
    vec4 squares = vec4(0.0);
    [[unroll]] for (uint i = 0; i < MOST_FOURS; ++i) {
        v[i] = before(v[i] - mean, 4 * (me + i * THREADS), l.k);
        squares += v[i] * v[i];
    }
    const float variance = workgroup_sum(dot(squares, vec4(1.0))) / float(l.k);
    const float scale = 1.0 / sqrt(variance + l.number);
    [[unroll]] for (uint i = 0; i < MOST_FOURS; ++i) {
        const uint j = me + i * THREADS;
        if (4 * j < padded(l.k))
            row[j] = before(v[i] * scale * gains[i] + shifts[i], 4 * j, l.k);
    }
}

void multiply() {
    share_out();
    const uint eights = padded(l.k) / 8;
    ask(min(team, units - 1), 0);
    if (l.norm != 0) ask_norm();
    if (l.waits != 0) await();
    if (l.norm != 0) {
        normalize();
    } else {
        Halves x = Halves(address(l.x));
        for (uint i = me; i < eights; i += THREADS) {
            const Eight v = unpacked(x.at[i]);
            row[2 * i] = v.low;
            row[2 * i + 1] = v.high;
        }
    }
    barrier();

    const bool one_subgroup = lanes == gl_SubgroupSize;
    for (uint first = 0; first < units; first += teams) {  // the same for all threads
        const uint unit = first + team;
        const bool writes = lane == 0 && unit < units;
        vec2 more = vec2(0.0);  // what is added to the sums
        if (writes && l.bias != 0) {
            const vec4 four = Numbers(address(l.b)).at[unit / 2];
            more = (unit & 1) == 0 ? four.xy : four.zw;
        }
        vec2 before_that = vec2(0.0);
        if (writes && l.accumulate != 0) before_that = Pairs(address(l.y)).at[unit];
        vec2 sum = vec2(0.0);
        for (uint from = 0; from < eights; from += DEPTH * lanes) {
            if (from > 0) ask(min(unit, units - 1), from);
            [[unroll]] for (uint s = 0; s < DEPTH; ++s) {
                const uint i = from + lane + s * lanes;
                if (i < eights) {
                    const vec4 low = row[2 * i], high = row[2 * i + 1];
                    [[unroll]] for (uint c = 0; c < 2; ++c) {
                        const Eight w = unpacked(ahead[c][s]);
                        sum[c] += dot(low, w.low) + dot(high, w.high);
                    }
                }
            }
        }
        if (first + teams < units) ask(min(unit + teams, units - 1), 0);

        sum = subgroupAdd(sum);
        if (!one_subgroup) {
            const uint each = findLSB(gl_SubgroupSize);
            if (subgroupElect()) parts[me >> each] = sum;
            barrier();
            sum = vec2(0.0);
            const uint of_team = (me & ~(lanes - 1)) >> each;
            for (uint i = 0; i < lanes >> each; ++i) sum += parts[of_team + i];
            barrier();
        }
        if (writes) {
            vec2 v = sum + more;
            v = vec2(activate(v.x), activate(v.y)) + before_that;
            if (2 * unit >= l.n) v.x = 0.0;
            if (2 * unit + 1 >= l.n) v.y = 0.0;
            if (l.half_out != 0)
                Words(address(l.y)).at[unit] = packed(v);
            else
                Pairs(address(l.y)).at[unit] = v;
        }
    }
}

void normalize_alone() {
    ask_norm();
    if (l.waits != 0) await();
    if (gl_WorkGroupID.x != 0) return;
    normalize();
    for (uint j = me; j < padded(l.k) / 4; j += THREADS) Floats(address(l.y)).at[j] = row[j];
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

uvec4 key[HEAD8], value[VALUES];

void ask_keys(uint first, uint head) {
    Halves k = Halves(address(l.w)), v = Halves(address(l.b));
    const uint j = min(first + me, l.n - 1);
    [[unroll]] for (uint d = 0; d < HEAD8; ++d)
        key[d] = k.at[j * (l.w_stride / 8) + head * HEAD8 + d];
    const uint group = me / HEAD8, column = me - group * HEAD8;
    [[unroll]] for (uint i = 0; i < VALUES; ++i) {
        const uint at = first + group + i * GROUPS;
        value[i] = group < GROUPS && group + i * GROUPS < THREADS && at < l.n
                       ? v.at[at * (l.b_stride / 8) + head * HEAD8 + column]
                       : uvec4(0);
    }
}

void attend() {
    const uint head = gl_WorkGroupID.x;
    if (l.early != 0 && head < l.heads) ask_keys(0, head);
    if (l.waits != 0) await();
    for (uint h = head; h < l.heads; h += gl_NumWorkGroups.x) {
        if (l.early == 0 || h != head) ask_keys(0, h);
        if (me < HEAD8) {
            const Eight q = unpacked(Halves(address(l.x)).at[h * HEAD8 + me]);
            row[2 * me] = q.low * l.number;
            row[2 * me + 1] = q.high * l.number;
        }
        barrier();
        const uint group = me / HEAD8, column = me - group * HEAD8;
        float largest = -1e30, total = 0.0;
        Eight sum = Eight(vec4(0.0), vec4(0.0));
        for (uint first = 0; first < l.n; first += THREADS) {
            if (first > 0) ask_keys(first, h);
            const uint count = min(THREADS, l.n - first);
            vec4 dots = vec4(0.0);
            [[unroll]] for (uint d = 0; d < HEAD8; ++d) {
                const Eight k = unpacked(key[d]);
                dots += row[2 * d] * k.low + row[2 * d + 1] * k.high;
            }
            const float score = me < count ? dot(dots, vec4(1.0)) : -1e30;
            const float top = max(largest, workgroup_max(score));
            const float mine = me < count ? exp(score - top) : 0.0;
            weight[me] = mine;
            const float shrink = exp(largest - top);
            total = total * shrink + workgroup_sum(mine);
            largest = top;
            sum.low *= shrink;
            sum.high *= shrink;
            [[unroll]] for (uint i = 0; i < VALUES; ++i) {
                const uint j = group + i * GROUPS;
                if (group < GROUPS && j < count) {
                    const Eight v = unpacked(value[i]);
                    sum.low += weight[j] * v.low;
                    sum.high += weight[j] * v.high;
                }
            }
            barrier();  // nobody may overwrite a weight before everybody has used it
        }
        const uint sums_at = 2 * HEAD8;  // past the query
        if (group < GROUPS) {
            row[sums_at + 2 * me] = sum.low;
            row[sums_at + 2 * me + 1] = sum.high;
        }
        barrier();
        if (me < HEAD8) {
            Eight all = Eight(vec4(0.0), vec4(0.0));
            for (uint g = 0; g < GROUPS; ++g) {
                all.low += row[sums_at + 2 * (g * HEAD8 + me)];
                all.high += row[sums_at + 2 * (g * HEAD8 + me) + 1];
            }
            all.low /= total;
            all.high /= total;
            Halves(address(l.y)).at[h * HEAD8 + me] = packed(all);
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
