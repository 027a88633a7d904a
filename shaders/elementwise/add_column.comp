#version 460
// x[i][j] += column[i], in place. x (rows, columns) and column (rows, 1) f32. One thread per four columns.
#extension GL_GOOGLE_include_directive : require
#include "shaders/elementwise/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) buffer X { vec4 x[]; };
layout(binding = 1) readonly buffer Column { float column[]; };
layout(push_constant) uniform Push { AddColumnParams p; };

void main() {
    const uint j = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    const uint batch = gl_GlobalInvocationID.z;
    if (4 * j >= padded(p.columns)) return;
    const uint at = row_start(p.x, batch, row) / 4 + j;
    x[at] = before(x[at] + column[row_start(p.column, batch, row)], 4 * j, p.columns);
}
