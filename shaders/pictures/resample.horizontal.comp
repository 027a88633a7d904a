#version 460
// y[c][row][column] = the taps of this column over the picture's row, in fp32, in levels of 0 .. 255.
// image (height, any width) RGBA, windows (width) pairs first and count, weights (width, max_taps) the
// bits of floats, y (3, height, width). One thread per pixel.
#extension GL_GOOGLE_include_directive : require
#include "shaders/pictures/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0, rgba8) readonly uniform image2D image;
layout(binding = 1) readonly buffer Windows { uint windows[]; };
layout(binding = 2) readonly buffer Weights { float weights[]; };
layout(binding = 3) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { ResampleHorizontalParams p; };

void main() {
    const uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    if (column >= p.y.row_stride || row >= p.height) return;
    vec3 sum = vec3(0.0);  // also for what pads a row
    if (column < p.width) {
        const uint first = windows[2 * column], count = windows[2 * column + 1];
        for (uint i = 0; i < count; ++i)
            sum += weights[column * p.max_taps + i] *
                   floor(imageLoad(image, ivec2(first + i, row)).rgb * 255.0 + 0.5);
    }
    [[unroll]] for (uint c = 0; c < 3; ++c) y[row_start(p.y, c, row) + column] = sum[c];
}
