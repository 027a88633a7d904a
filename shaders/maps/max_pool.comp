#version 460
// types: f32 f16
// y[oy][ox][c] = the largest x[oy * stride - padding + ky][ox * stride - padding + kx][c] in the
// picture, or in the zeros after it where there are some. x (height * width, channels), y
// (out_height * out_width, channels). One thread per four channels of a pixel of y.
#extension GL_GOOGLE_include_directive : require
#include "shaders/maps/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { IN4 x[]; };
layout(binding = 1) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { MaxPoolParams p; };

void main() {
    // Channels and columns share the first axis, so that short rows still fill workgroups.
    const uint channels4 = padded(p.channels) / 4;
    const uint column = divide(gl_GlobalInvocationID.x, channels4);
    const uint c = gl_GlobalInvocationID.x - column * channels4;
    const uint row = gl_GlobalInvocationID.y, batch = gl_GlobalInvocationID.z;
    if (column >= p.out_width) return;
    const ivec2 corner = ivec2(column, row) * int(p.stride) - int(p.padding);
    vec4 largest = vec4(-3.4e38);
    for (uint ky = 0; ky < p.kernel; ++ky)
        for (uint kx = 0; kx < p.kernel; ++kx) {
            const ivec2 at = corner + ivec2(kx, ky);
            if (at.x < 0 || at.y < 0 || at.x >= int(p.width) || at.y >= int(p.height)) {
                const bool zero = at.x >= 0 && at.y >= 0 && at.x < int(p.width + p.zeros_after) &&
                                  at.y < int(p.height + p.zeros_after);
                if (zero) largest = max(largest, vec4(0.0));
                continue;
            }
            const uint pixel = uint(at.y) * p.width + uint(at.x);
            largest = max(largest, load(x[row_start(p.x, batch, pixel) / 4 + c]));
        }
    y[row_start(p.y, batch, row * p.out_width + column) / 4 + c] =
        store(before(largest, 4 * c, p.channels));
}
