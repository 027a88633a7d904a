#version 460
// types: f32 f32_f16
// Four neighbours side by side: y[(r, c)] = [x[2r][2c], x[2r + 1][2c], x[2r][2c + 1], x[2r + 1][2c + 1]],
// zero where the map ends. x (height * width, columns), y (ceil(height / 2) * ceil(width / 2), 4 *
// columns), columns a multiple of four. One thread per four elements of y: columns on the first axis, the
// cell of y on the second; the third is the batch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/maps/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { IN4 x[]; };
layout(binding = 1) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { MergePatchesParams p; };

void main() {
    const uint fours = p.columns / 4;
    const uint four = gl_GlobalInvocationID.x, cell = gl_GlobalInvocationID.y;
    if (four >= 4 * fours) return;
    const uint part = divide(four, fours);
    const uint row = divide(cell, p.out_width);
    const uvec2 at = 2 * uvec2(cell - row * p.out_width, row) + uvec2(part >> 1, part & 1);
    vec4 v = vec4(0.0);
    if (at.x < p.width && at.y < p.height)
        v = load(x[row_start(p.x, gl_GlobalInvocationID.z, at.y * p.width + at.x) / 4 + four -
                   part * fours]);
    y[row_start(p.y, gl_GlobalInvocationID.z, cell) / 4 + four] = store(v);
}
