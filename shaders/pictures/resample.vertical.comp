#version 460
// types: f32 f16
// pixel_values[c][row][column] = sum * scale[c] + shift[c], where sum is the taps of this row over a
// column of x, in fp32; written as patches: y[patch][(c, row in it, column in it)].
// x (3, any height, width) f32, windows (height) pairs first and count, weights (height, max_taps) the
// bits of floats, y (patches, 3 * patch_height * patch_width). One thread per four columns of a patch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/pictures/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Windows { uint windows[]; };
layout(binding = 2) readonly buffer Weights { float weights[]; };
layout(binding = 3) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { ResampleVerticalParams p; };

float pixel_value(uint c, uint row, uint column) {
    const uint first = windows[2 * row], count = windows[2 * row + 1];
    float sum = 0.0;
    for (uint i = 0; i < count; ++i)
        sum += weights[row * p.max_taps + i] * x[row_start(p.x, c, first + i) + column];
    return sum * p.scale[c] + p.shift[c];
}

void main() {
    const uint area = p.patch_width * p.patch_height;
    const uint fours = padded(3 * area) / 4;
    const uint across = divide(p.width, p.patch_width);
    const uint patch_column = divide(gl_GlobalInvocationID.x, fours);
    const uint patch_row = gl_GlobalInvocationID.y;
    if (patch_column >= across) return;
    const uint four = gl_GlobalInvocationID.x - patch_column * fours;
    vec4 values = vec4(0.0);
    for (uint lane = 0; lane < 4; ++lane) {
        const uint c = divide(4 * four + lane, area);
        if (c >= 3) break;
        const uint within = 4 * four + lane - c * area;
        const uint down = divide(within, p.patch_width);
        values[lane] = pixel_value(c, patch_row * p.patch_height + down,
                                   patch_column * p.patch_width + within - down * p.patch_width);
    }
    y[row_start(p.y, 0, patch_row * across + patch_column) / 4 + four] = store(values);
}
