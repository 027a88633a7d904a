#version 460
// types: f32 f16
// y[rows[i]] = value, for a list of rows, in every batch. y (n, columns), value (columns) f32.
// One thread per four columns.
#extension GL_GOOGLE_include_directive : require
#include "shaders/rows/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer Rows { uint rows[]; };
layout(binding = 1) readonly buffer Value { vec4 value[]; };
layout(binding = 2) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { SetRowsParams p; };

void main() {
    const uint j = gl_GlobalInvocationID.x, batch = gl_GlobalInvocationID.z;
    if (4 * j >= padded(p.columns)) return;
    const uint row = rows[p.rows + gl_GlobalInvocationID.y];
    y[row_start(p.y, batch, row) / 4 + j] = store(before(value[p.value / 4 + j], 4 * j, p.columns));
}
