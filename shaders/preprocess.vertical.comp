#version 460
// pixel_values[c][row][column] = level * scale[c] + shift[c], where level is the taps of this row
// over a column of x, rounded to 8 bits; written as patches: y[patch][(c, row in it, column in it)].
// x (any height, width) RGBA words, windows (height) pairs first and count, weights (height,
// max_taps), y (patches, 3 * patch_height * patch_width). One thread per four columns of a patch:
// those of a row of patches on the first axis, which patches of one pixel would leave empty alone.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) readonly buffer Windows { uvec2 windows[]; };
layout(binding = 2) readonly buffer Weights { int weights[]; };
layout(binding = 3) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { PreprocessVerticalParams p; };

float pixel_value(uint c, uint row, uint column) {
    const uvec2 window = windows[row];
    int sum = 1 << (tap_bits - 1);
    for (uint i = 0; i < window.y; ++i) {
        const uint pixel = x[row_start(p.x, 0, window.x + i) + column];
        sum += weights[row * p.max_taps + i] * int((pixel >> (8 * c)) & 0xffu);
    }
    return float(clamp(sum >> int(tap_bits), 0, 255)) * p.scale[c] + p.shift[c];
}

void main() {
    const uint area = p.patch_width * p.patch_height;
    const uint fours = padded(3 * area) / 4;
    const uint across = divide(p.width, p.patch_width);
    const uint patch_column = divide(gl_GlobalInvocationID.x, fours);
    const uint patch_row = gl_GlobalInvocationID.y;
    if (patch_column >= across) return;
    const uint four = gl_GlobalInvocationID.x - patch_column * fours, first = 4 * four;
    vec4 values = vec4(0.0);
    [[unroll]] for (uint lane = 0; lane < 4; ++lane) {
        const uint c = divide(first + lane, area);
        const uint within = first + lane - c * area;
        const uint down = divide(within, p.patch_width);
        if (c < 3)
            values[lane] = pixel_value(c, patch_row * p.patch_height + down,
                                       patch_column * p.patch_width + within - down * p.patch_width);
    }
    y[row_start(p.y, 0, patch_row * across + patch_column) / 4 + four] = store(values);
}
