#version 460
// types: f32 f16, texels
// y = x enlarged: bilinear between the middles of pixels, the border repeated. x (small_height *
// small_width, channels), y (height * width, channels). One thread per four channels of a pixel of
// y.
#extension GL_GOOGLE_include_directive : require
#include "shaders/maps/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

READ(0, X, IN4, x);
WRITE(1, Y, OUT4, y);
layout(push_constant) uniform Push { AddEnlargedParams p; };

vec4 at(uint batch, uint row, uint column, uint c) {
    return load_at(x, row_start(p.small, batch, row * p.small_width + column) / 4 + c);
}

void main() {
    const uint channels4 = padded(p.channels) / 4;
    const uint column = divide(gl_GlobalInvocationID.x, channels4);
    const uint c = gl_GlobalInvocationID.x - column * channels4;
    const uint row = gl_GlobalInvocationID.y, batch = gl_GlobalInvocationID.z;
    if (column >= p.width) return;
    const vec2 scale = vec2(p.small_width, p.small_height) / vec2(p.width, p.height);
    const vec2 place = max((vec2(column, row) + 0.5) * scale - 0.5, vec2(0.0));
    const uvec2 last = uvec2(p.small_width, p.small_height) - 1;
    const uvec2 low = min(uvec2(place), last), high = min(low + 1, last);
    const vec2 t = place - vec2(low);
    const vec4 v = mix(mix(at(batch, low.y, low.x, c), at(batch, low.y, high.x, c), t.x),
                       mix(at(batch, high.y, low.x, c), at(batch, high.y, high.x, c), t.x), t.y);
    store_at(y, row_start(p.y, batch, row * p.width + column) / 4 + c, v);
}
