#version 460
// types: f32 f16
// y[oy][ox] = x[oy / factor][ox / factor], all channels: the nearest pixel of a smaller picture.
// x (height * width, channels), y (height * width * factor^2, channels). One thread per four channels
// of a pixel of y.
#extension GL_GOOGLE_include_directive : require
#include "shaders/maps/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { IN4 x[]; };
layout(binding = 1) writeonly buffer Y { IN4 y[]; };
layout(push_constant) uniform Push { UpsampleParams p; };

void main() {
    const uint channels4 = padded(p.channels) / 4;
    const uint column = divide(gl_GlobalInvocationID.x, channels4);
    const uint c = gl_GlobalInvocationID.x - column * channels4;
    const uint row = gl_GlobalInvocationID.y, batch = gl_GlobalInvocationID.z;
    if (column >= p.out_width) return;
    const uint from = divide(row, p.factor) * p.width + divide(column, p.factor);
    y[row_start(p.y, batch, row * p.out_width + column) / 4 + c] =
        x[row_start(p.x, batch, from) / 4 + c];
}
