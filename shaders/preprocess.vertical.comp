#version 460
// pixel_values[c][row][column] = level * scale[c] + shift[c], where level is the taps of this row
// over a column of x, rounded to 8 bits; written as patches: y[patch][(c, row in it, column in it)].
// x (any height, width) RGBA words, windows (height) pairs first and count, weights (height,
// max_taps), y (patches, 3 * patch_height * patch_width). One thread per pixel.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) readonly buffer Windows { uvec2 windows[]; };
layout(binding = 2) readonly buffer Weights { int weights[]; };
layout(binding = 3) writeonly buffer Y { OUT1 y[]; };
layout(push_constant) uniform Push { PreprocessVerticalParams p; };

void main() {
    const uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    if (column >= p.width || row >= p.height) return;
    const uvec2 window = windows[row];
    ivec3 sum = ivec3(1 << (tap_bits - 1));
    for (uint i = 0; i < window.y; ++i) {
        const uint pixel = x[row_start(p.x, 0, window.x + i) + column];
        sum += weights[row * p.max_taps + i] *
               ivec3(pixel & 0xffu, (pixel >> 8) & 0xffu, (pixel >> 16) & 0xffu);
    }
    const ivec3 level = clamp(sum >> int(tap_bits), 0, 255);

    const uint patch_row = divide(row, p.patch_height), patch_column = divide(column, p.patch_width);
    const uint down = row - patch_row * p.patch_height, right = column - patch_column * p.patch_width;
    const uint across = divide(p.width, p.patch_width);
    const uint area = p.patch_width * p.patch_height;
    const uint at = row_start(p.y, 0, patch_row * across + patch_column);
    [[unroll]] for (uint c = 0; c < 3; ++c)
        y[at + c * area + down * p.patch_width + right] =
            OUT1(to_out(vec4(float(level[c]) * p.scale[c] + p.shift[c])).x);
    if (down == 0 && right == 0)
        for (uint i = 3 * area; i < padded(3 * area); ++i) y[at + i] = OUT1(0.0);
}
