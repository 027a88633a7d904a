#version 460
// The k largest of all elements of x, largest first, equal ones in the order of their places.
// x (rows, columns) f32; values (1, k) f32; picks (1, k) u32: row * columns + column.
// An element's place among the k is the number of those that come before it: each counts them by
// itself, and stops when there are k. So there is no sorting, and elements wait for nobody. The
// counting of one element is shared by PARTS threads. A NaN comes after every number.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint PARTS = 1;

layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) writeonly buffer Values { float values[]; };
layout(binding = 2) writeonly buffer Picks { uint picks[]; };
layout(push_constant) uniform Push { SelectParams p; };

shared uint counted[THREADS];

// Below every number, so that a NaN has its place too.
vec4 sortable(vec4 v) { return mix(v, vec4(uintBitsToFloat(0xff800000u)), isnan(v)); }

void main() {
    const uint column = gl_GlobalInvocationID.x, row = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint mine_at = gl_LocalInvocationID.x, part = gl_LocalInvocationID.y;
    const uint values_at = row_start(p.values, batch, 0), picks_at = row_start(p.picks, batch, 0);
    const uint place = row * p.columns + column;
    const bool there = column < p.columns;
    const uint own = min(column, p.columns - 1);
    const float mine = sortable(x[row_start(p.x, batch, row) / 4 + own / 4])[own % 4];

    uint ahead = there ? 0 : p.k;
    for (uint r = 0; r < p.rows && ahead < p.k; ++r) {
        const uint at = row_start(p.x, batch, r) / 4;
        for (uint j = (part + r) % PARTS; 4 * j < p.columns && ahead < p.k; j += PARTS) {
            const vec4 other = sortable(x[at + j]);
            const uint first = r * p.columns + 4 * j;
            [[unroll]] for (uint lane = 0; lane < 4; ++lane) {
                const bool comes_first = other[lane] > mine ||
                                         (other[lane] == mine && first + lane < place);
                ahead += comes_first && 4 * j + lane < p.columns ? 1 : 0;
            }
        }
    }
    if (PARTS > 1) {
        if (part == 0) counted[mine_at] = 0;
        barrier();
        atomicAdd(counted[mine_at], ahead);
        barrier();
        ahead = counted[mine_at];
    }
    if (part == 0 && ahead < p.k) {
        values[values_at + ahead] = mine;
        picks[picks_at + ahead] = place;
    }
    // Padding is zero.
    if (part == 0 && row == 0 && column < padded(p.k) - p.k) {
        values[values_at + p.k + column] = 0.0;
        picks[picks_at + p.k + column] = 0;
    }
}
