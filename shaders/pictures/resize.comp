#version 460
// image[row][column] = the taps of this row over a column of x, rounded to 8 bits a channel: the second
// pass of a resize whose first is preprocess.horizontal.comp. x (any height, width) RGBA words, windows
// (height) pairs first and count, weights (height, max_taps). One thread per pixel.
#extension GL_GOOGLE_include_directive : require
#include "shaders/pictures/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) readonly buffer Windows { uint windows[]; };
layout(binding = 2) readonly buffer Weights { uint weights[]; };
layout(binding = 3, rgba8) writeonly uniform image2D image;
layout(push_constant) uniform Push { ResizeParams p; };

void main() {
    const uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    if (column >= p.width || row >= p.height) return;
    const uint first = windows[2 * row], count = windows[2 * row + 1];
    ivec3 sum = ivec3(1 << (tap_bits - 1));
    for (uint i = 0; i < count; ++i) {
        const uint pixel = x[row_start(p.x, 0, first + i) + column];
        sum += int(weights[row * p.max_taps + i]) *
               ivec3(pixel & 0xffu, (pixel >> 8) & 0xffu, (pixel >> 16) & 0xffu);
    }
    const vec3 rgb = vec3(clamp(sum >> int(tap_bits), 0, 255)) / 255.0;
    imageStore(image, ivec2(column, row), vec4(rgb, 1.0));
}
