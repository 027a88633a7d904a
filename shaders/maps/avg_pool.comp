#version 460
// types: f32 f16
// y[oy][ox][c] = the mean of x[2 oy + ky][2 ox + kx][c] for ky, kx in 0, 1 that lie in the picture.
// x (height * width, channels), y (out_height * out_width, channels), out = half, rounded up.
// One thread per four channels of a pixel of y.
#extension GL_GOOGLE_include_directive : require
#include "shaders/maps/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { IN4 x[]; };
layout(binding = 1) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { AvgPoolParams p; };

void main() {
    // Channels and columns share the first axis, so that short rows still fill workgroups.
    const uint channels4 = padded(p.channels) / 4;
    const uint column = divide(gl_GlobalInvocationID.x, channels4);
    const uint c = gl_GlobalInvocationID.x - column * channels4;
    const uint row = gl_GlobalInvocationID.y, batch = gl_GlobalInvocationID.z;
    if (column >= p.out_width) return;
    vec4 sum = vec4(0.0);
    float count = 0.0;
    for (uint ky = 2 * row; ky < min(2 * row + 2, p.height); ++ky)
        for (uint kx = 2 * column; kx < min(2 * column + 2, p.width); ++kx) {
            sum += load(x[row_start(p.x, batch, ky * p.width + kx) / 4 + c]);
            count += 1.0;
        }
    y[row_start(p.y, batch, row * p.out_width + column) / 4 + c] =
        store(before(sum / count, 4 * c, p.channels));
}
