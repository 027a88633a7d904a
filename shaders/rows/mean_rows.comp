#version 460
// types: f32 f16 f32_f16 f16_f32
// y[j] = the mean of x[r][j] over the rows r. x (rows, columns), y (1, columns). One workgroup per four
// columns, whose threads share the rows; the third axis is the batch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/rows/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) readonly buffer X { IN4 x[]; };
layout(binding = 1) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { MeanRowsParams p; };

#include "shaders/common/reduce.glsl"

void main() {
    const uint column = 4 * gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    vec4 sum = vec4(0.0);
    for (uint row = gl_LocalInvocationID.x; row < p.rows; row += THREADS)
        sum += load(x[(row_start(p.x, batch, row) + column) / 4]);
    [[unroll]] for (uint i = 0; i < 4; ++i) sum[i] = workgroup_sum(sum[i]);
    if (gl_LocalInvocationID.x == 0)
        y[(row_start(p.y, batch, 0) + column) / 4] =
            store(before(sum / float(p.rows), column, p.columns));
}
