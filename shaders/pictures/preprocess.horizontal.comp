#version 460
// types: texels
// y[row][column] = the taps of this column over the picture's row, rounded to 8 bits a channel.
// image (height, any width) RGBA, windows (width) pairs first and count, weights (width, max_taps),
// y (height, width) RGBA words. The sums are Pillow's, bit for bit: integers with 22 fraction bits.
// EXACT: weights are the bits of floats, nothing is rounded, and y is (3, height, width) floats. One
// thread per pixel.
#extension GL_GOOGLE_include_directive : require
#include "shaders/pictures/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool EXACT = false;

layout(binding = 0, rgba8) readonly uniform image2D image;
READ_WORDS(1, Windows, windows);
READ_WORDS(2, Weights, weights);
WRITE_WORDS(3, Y, y);
layout(push_constant) uniform Push { PreprocessHorizontalParams p; };

void main() {
    const uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    if (column >= p.width || row >= p.height) return;
    const uint first = word_at(windows, 2 * column), count = word_at(windows, 2 * column + 1);
    if (EXACT) {
        vec3 total = vec3(0.0);
        for (uint i = 0; i < count; ++i)
            total += uintBitsToFloat(word_at(weights, column * p.max_taps + i)) *
                     imageLoad(image, ivec2(first + i, row)).rgb;
        [[unroll]] for (uint c = 0; c < 3; ++c)
            store_word(y, row_start(p.y, c, row) + column,
                       floatBitsToUint(total[c] * 255.0));
        return;
    }
    ivec3 sum = ivec3(1 << (tap_bits - 1));
    for (uint i = 0; i < count; ++i) {
        const vec3 level = imageLoad(image, ivec2(first + i, row)).rgb;
        sum += int(word_at(weights, column * p.max_taps + i)) * ivec3(level * 255.0 + 0.5);
    }
    const uvec3 rgb = uvec3(clamp(sum >> int(tap_bits), 0, 255));
    store_word(y, row_start(p.y, 0, row) + column, rgb.r | (rgb.g << 8) | (rgb.b << 16));
}
