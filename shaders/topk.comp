#version 460
// The k largest of each row of x, largest first, equal ones in the order of their columns.
// x (rows, columns); values (rows, k) f32 and columns (rows, k) u32. One workgroup per row finds
// one after the other: the best of those that come after the one found last. A NaN is never found;
// where a row runs out of numbers, what is left of the k has value 0 and column `nothing`.
// Of long rows it finds the best of each SLICE of columns first, one workgroup per slice: values and
// columns (rows, slices * padded k), NaN where there is nothing. Then these are x, and the columns that
// they came from their names (rows, slices * padded k) u32.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint SLICE = 0;  // a multiple of 4; 0: whole rows
layout(constant_id = 2) const uint NAMED = 0;

layout(binding = 0) readonly buffer X { IN4 x[]; };
layout(binding = 1) writeonly buffer Values { float values[]; };
layout(binding = 2) writeonly buffer Columns { uint found[]; };
layout(binding = 3) readonly buffer Names { uint names[]; };
layout(push_constant) uniform Push { TopkParams p; };

shared float best_value[THREADS];
shared uint best_column[THREADS];

const uint nothing = 0xffffffffu;

bool comes_first(float a, uint a_column, float b, uint b_column) {
    return b_column == nothing || a > b || (a == b && a_column < b_column);
}

void main() {
    const uint row = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint x_at = row_start(p.x, batch, row) / 4;
    const uint me = gl_LocalInvocationID.x, slice = gl_WorkGroupID.x;
    const uint begin = slice * SLICE, end = SLICE == 0 ? p.columns : min(begin + SLICE, p.columns);
    const uint values_at = row_start(p.values, batch, row) + slice * padded(p.k);
    const uint found_at = row_start(p.columns_found, batch, row) + slice * padded(p.k);
    const float none = SLICE == 0 ? 0.0 : uintBitsToFloat(0x7fc00000u);
    float last = 0.0;
    uint last_column = nothing;

    for (uint i = 0; i < p.k; ++i) {
        float value = 0.0;
        uint column = nothing;
        for (uint j4 = begin / 4 + me; 4 * j4 < end; j4 += THREADS) {
            const vec4 four = load(x[x_at + j4]);
            [[unroll]] for (uint lane = 0; lane < 4; ++lane) {
                const float v = four[lane];
                const uint j = 4 * j4 + lane;
                const bool taken = i > 0 && (last_column == nothing ||
                                             !comes_first(last, last_column, v, j));
                if (j < end && !taken && !isnan(v) && comes_first(v, j, value, column)) {
                    value = v;
                    column = j;
                }
            }
        }
        best_value[me] = value;
        best_column[me] = column;
        barrier();
        for (uint half_way = THREADS / 2; half_way > 0; half_way /= 2) {
            if (me < half_way) {
                const uint other = best_column[me + half_way];
                if (other != nothing && comes_first(best_value[me + half_way], other,
                                                    best_value[me], best_column[me])) {
                    best_value[me] = best_value[me + half_way];
                    best_column[me] = other;
                }
            }
            barrier();
        }
        last = best_value[0];
        last_column = best_column[0];
        barrier();
        if (me == 0) {
            values[values_at + i] = last_column == nothing ? none : last;
            found[found_at + i] = NAMED == 0 || last_column == nothing
                                      ? last_column
                                      : names[row_start(p.names, batch, row) + last_column];
        }
    }
    for (uint i = p.k + me; i < padded(p.k); i += THREADS) {
        values[values_at + i] = none;
        found[found_at + i] = 0;
    }
}
