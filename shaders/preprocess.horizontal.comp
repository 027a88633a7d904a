#version 460
// y[row][column] = the taps of this column over the picture's row, rounded to 8 bits a channel.
// image (height, any width) RGBA, windows (width) pairs first and count, weights (width, max_taps),
// y (height, width) RGBA words. The sums are Pillow's, bit for bit: integers with 22 fraction bits.
// One thread per pixel.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0, rgba8) readonly uniform image2D image;
layout(binding = 1) readonly buffer Windows { uvec2 windows[]; };
layout(binding = 2) readonly buffer Weights { int weights[]; };
layout(binding = 3) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform Push { PreprocessHorizontalParams p; };

void main() {
    const uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    if (column >= p.width || row >= p.height) return;
    const uvec2 window = windows[column];
    ivec3 sum = ivec3(1 << (tap_bits - 1));
    for (uint i = 0; i < window.y; ++i) {
        const vec3 level = imageLoad(image, ivec2(window.x + i, row)).rgb;
        sum += weights[column * p.max_taps + i] * ivec3(level * 255.0 + 0.5);
    }
    const uvec3 rgb = uvec3(clamp(sum >> int(tap_bits), 0, 255));
    y[row_start(p.y, 0, row) + column] = rgb.r | (rgb.g << 8) | (rgb.b << 16);
}
