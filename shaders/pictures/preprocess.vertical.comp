#version 460
// types: f32 f16, texels
// pixel_values[c][row][column] = level * scale[c] + shift[c], where level is the taps of this row
// over a column of x, rounded to 8 bits, and 0 beyond what is filled; written as patches: y[patch][(c,
// row in it, column in it)]. EXACT: weights are the bits of floats, nothing is rounded, and x is (3, any
// height, width) floats.
// x (any height, width) RGBA words, windows (height) pairs first and count, weights (height,
// max_taps), y (patches, 3 * patch_height * patch_width). One thread per four columns of a patch:
// those of a row of patches on the first axis, so that patches of one pixel fill workgroups, too.
#extension GL_GOOGLE_include_directive : require
#include "shaders/pictures/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool EXACT = false;

READ_FOUR_WORDS(0, X, x);
READ_WORDS(1, Windows, windows);
READ_WORDS(2, Weights, weights);
WRITE(3, Y, OUT4, y);
layout(push_constant) uniform Push { PreprocessVerticalParams p; };

// The values of columns column .. column + 3; column is a multiple of four.
vec4 pixel_values(uint c, uint row, uint column) {
    const uint first = word_at(windows, 2 * row), count = word_at(windows, 2 * row + 1);
    if (EXACT) {
        vec4 total = vec4(0.0);
        for (uint i = 0; i < count; ++i) {
            const uvec4 levels = four_words_at(x, (row_start(p.x, c, first + i) + column) / 4);
            total += uintBitsToFloat(word_at(weights, row * p.max_taps + i)) *
                     uintBitsToFloat(levels);
        }
        return total * p.scale[c] + p.shift[c];
    }
    ivec4 sum = ivec4(1 << (tap_bits - 1));
    for (uint i = 0; i < count; ++i) {
        const uvec4 pixels = four_words_at(x, (row_start(p.x, 0, first + i) + column) / 4);
        sum += int(word_at(weights, row * p.max_taps + i)) * ivec4((pixels >> (8 * c)) & 0xffu);
    }
    return vec4(clamp(sum >> int(tap_bits), 0, 255)) * p.scale[c] + p.shift[c];
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
    // The four lie side by side in the picture where the width of patches is a multiple of four.
    const uint together = (p.patch_width & 3) == 0 ? 4 : 1;
    for (uint lane = 0; lane < 4; lane += together) {
        const uint c = divide(first + lane, area);
        if (c >= 3) break;
        const uint within = first + lane - c * area;
        const uint down = divide(within, p.patch_width);
        const uint column = patch_column * p.patch_width + within - down * p.patch_width;
        const uint row = patch_row * p.patch_height + down;
        const uint first_column = column & ~3u;
        const vec4 side_by_side =
            row < p.filled_height
                ? before(pixel_values(c, row, first_column), first_column, p.filled_width)
                : vec4(0.0);
        if (together == 4)
            values = side_by_side;
        else
            values[lane] = side_by_side[column & 3];
    }
    store_at(y, row_start(p.y, 0, patch_row * across + patch_column) / 4 + four, values);
}
