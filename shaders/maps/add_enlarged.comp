#version 460
// types: f32 f16, texels
// y[b][oy][ox] = x[oy][ox] + small[b][floor(oy height_s / height)][floor(ox width_s / width)]
// x (height * width, channels) the same for every batch; small (height_s * width_s, channels); y as x.
// One thread per four channels of a pixel.
#extension GL_GOOGLE_include_directive : require
#include "shaders/maps/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

READ(0, X, IN4, x);
READ(1, Small, IN4, small);
WRITE(2, Y, OUT4, y);
layout(push_constant) uniform Push { AddEnlargedParams p; };

uint nearest(uint at, uint from, uint to) {
    return min(uint(float(at) * (float(from) / float(to))), from - 1);
}

void main() {
    const uint channels4 = padded(p.channels) / 4;
    const uint column = divide(gl_GlobalInvocationID.x, channels4);
    const uint c = gl_GlobalInvocationID.x - column * channels4;
    const uint row = gl_GlobalInvocationID.y, batch = gl_GlobalInvocationID.z;
    if (column >= p.width) return;
    const uint from = nearest(row, p.small_height, p.height) * p.small_width +
                      nearest(column, p.small_width, p.width);
    const uint pixel = row * p.width + column;
    store_at(y, row_start(p.y, batch, pixel) / 4 + c,
             load_at(x, row_start(p.x, 0, pixel) / 4 + c) +
                 load_at(small, row_start(p.small, batch, from) / 4 + c));
}
