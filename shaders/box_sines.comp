#version 460
// y[i] = sines and cosines of a box (x, y, w, h), in the order y, x, w, h, `count` of each: of number j
//   sin or cos(2 pi v / 10000^(2 floor(j / 2) / count)), sines where j is even.
// boxes (rows, 4) f32, y (rows, 4 * count). One thread per four columns; count is a multiple of four.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer Boxes { vec4 boxes[]; };
layout(binding = 1) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { BoxSinesParams p; };

void main() {
    const uint j = 4 * gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    const uint batch = gl_GlobalInvocationID.z;
    if (j >= 4 * p.count) return;
    const vec4 box = boxes[row_start(p.boxes, batch, row) / 4].yxzw;
    const uint number = divide(j, p.count), first = j - number * p.count;
    const float circle = 6.283185307 * box[number], log_temperature = 9.210340372;
    // Two periods: of the first pair of sine and cosine, and of the second.
    const vec2 angle = circle * exp(-vec2(first, first + 2) / float(p.count) * log_temperature);
    y[(row_start(p.y, batch, row) + j) / 4] =
        store(vec4(sin(angle.x), cos(angle.x), sin(angle.y), cos(angle.y)));
}
