#version 460
// types: f32 f16_f32
// The k largest of each row of x, largest first, equal ones in the order of their columns.
// x (rows, columns); values (rows, k) f32 and columns (rows, k) u32. One workgroup per row finds
// them one after the other: the best of those that come after the one found before. A NaN is never
// found; where a row has fewer than k numbers, the remaining places have value 0 and column
// `nothing`. Long rows take two passes. The first finds the best of each SLICE of columns, one
// workgroup per slice: values and columns (rows, slices * padded k), NaN where there is nothing. In
// the second these are x, and `names` (rows, slices * padded k) u32 are their columns in the row.
#extension GL_GOOGLE_include_directive : require
#include "shaders/rows/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint SLICE = 0;  // a multiple of 4; 0: whole rows
layout(constant_id = 2) const uint NAMED = 0;

layout(binding = 0) readonly buffer X { IN4 x[]; };
layout(binding = 1) writeonly buffer Values { float values[]; };
layout(binding = 2) writeonly buffer Columns { uint found[]; };
layout(binding = 3) readonly buffer Names { uint names[]; };
layout(push_constant) uniform Push { TopkParams p; };

#include "shaders/common/best.glsl"

const uint nothing = 0xffffffffu;

void main() {
    const uint row = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint x_at = row_start(p.x, batch, row) / 4;
    const uint me = gl_LocalInvocationID.x, slice = gl_WorkGroupID.x;
    const uint begin = slice * SLICE, end = SLICE == 0 ? p.columns : min(begin + SLICE, p.columns);
    const uint values_at = row_start(p.values, batch, row) + slice * padded(p.k);
    const uint found_at = row_start(p.columns_found, batch, row) + slice * padded(p.k);
    const float none = SLICE == 0 ? 0.0 : uintBitsToFloat(0x7fc00000u);
    const Best none_left = Best(uintBitsToFloat(0xff800000u), nothing);  // -infinity
    Best last = none_left;

    for (uint i = 0; i < p.k; ++i) {
        Best best = none_left;
        for (uint j4 = begin / 4 + me; 4 * j4 < end; j4 += THREADS) {
            const vec4 four = load(x[x_at + j4]);
            [[unroll]] for (uint lane = 0; lane < 4; ++lane) {
                const Best one = Best(four[lane], 4 * j4 + lane);
                // Only elements that come after the one found before.
                const bool left = i == 0 || one.value < last.value ||
                                  (one.value == last.value && one.column > last.column);
                if (one.column < end && left && !isnan(one.value)) best = better(best, one);
            }
        }
        last = workgroup_best(best);
        if (me == 0) {
            values[values_at + i] = last.column == nothing ? none : last.value;
            found[found_at + i] = NAMED == 0 || last.column == nothing
                                      ? last.column
                                      : names[row_start(p.names, batch, row) + last.column];
        }
    }
    for (uint i = p.k + me; i < padded(p.k); i += THREADS) {
        values[values_at + i] = none;
        found[found_at + i] = 0;
    }
}
