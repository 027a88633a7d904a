#version 460
// For each SLICE of columns of a row of x: the largest, its column (the first of equal ones), and
// the sum of exp(x - largest), three words a slice. x (rows, columns) f32; parts (slices, 3) u32 in
// each batch. One workgroup per slice and row. NaNs are ignored.
#extension GL_GOOGLE_include_directive : require
#include "shaders/words/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint SLICE = 1024;  // a multiple of 4

layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) writeonly buffer Parts { uint parts[]; };
layout(push_constant) uniform Push { PickPartParams p; };

#include "shaders/common/reduce.glsl"
#include "shaders/common/best.glsl"

void main() {
    const uint slice = gl_WorkGroupID.x, row = gl_WorkGroupID.y, me = gl_LocalInvocationID.x;
    const uint x_at = row_start(p.x, 0, row) / 4, begin = slice * SLICE;
    const uint end = min(begin + SLICE, p.columns);
    Best best = nothing_found;
    for (uint j = begin + 4 * me; j < end; j += 4 * THREADS) {
        const vec4 four = x[x_at + j / 4];
        [[unroll]] for (uint lane = 0; lane < 4; ++lane)
            if (j + lane < end) best = better(best, Best(four[lane], j + lane));
    }
    best = workgroup_best(best);

    float mine = 0.0;
    for (uint j = begin + 4 * me; j < end; j += 4 * THREADS) {
        const vec4 four = x[x_at + j / 4];
        [[unroll]] for (uint lane = 0; lane < 4; ++lane)
            if (j + lane < end && !isnan(four[lane])) mine += exp(four[lane] - best.value);
    }
    const float sum = workgroup_sum(mine);
    if (me == 0) {
        const uint at = row_start(p.parts, row, slice);
        parts[at] = floatBitsToUint(best.value);
        parts[at + 1] = best.column;
        parts[at + 2] = floatBitsToUint(sum);
    }
}
