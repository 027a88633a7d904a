#version 460
// types: f32 f16 f16_f32
// y[i] = x[from[i]], a row each, of the same batch. x (rows, columns), y (n, columns), from (1, n) u32.
// One thread per four columns.
#extension GL_GOOGLE_include_directive : require
#include "shaders/rows/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { IN4 x[]; };
layout(binding = 1) readonly buffer From { uint from[]; };
layout(binding = 2) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { GatherRowsParams p; };

void main() {
    const uint j = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    const uint batch = gl_GlobalInvocationID.z;
    if (4 * j >= padded(p.columns)) return;
    // Clamped, because memory past the end belongs to another tensor.
    const uint source = min(from[row_start(p.from, batch, 0) + row], p.rows - 1);
    y[row_start(p.y, batch, row) / 4 + j] = store(load(x[row_start(p.x, batch, source) / 4 + j]));
}
