#version 460
// types: f32 f16
// y[i] = x[from[i]], a batch each. x, y (batch, rows, columns); from (batches of y) u32.
// One thread per four columns; the third axis is the batch of y.
#extension GL_GOOGLE_include_directive : require
#include "shaders/rows/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { IN4 x[]; };
layout(binding = 1) readonly buffer From { uint from[]; };
layout(binding = 2) writeonly buffer Y { IN4 y[]; };
layout(push_constant) uniform Push { GatherParams p; };

void main() {
    const uint j = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    const uint batch = gl_GlobalInvocationID.z;
    if (4 * j >= padded(p.columns)) return;
    // Clamped, because memory past the end belongs to another tensor.
    const uint source = min(from[p.from + batch], p.batches - 1);
    y[row_start(p.y, batch, row) / 4 + j] = x[row_start(p.x, source, row) / 4 + j];
}
