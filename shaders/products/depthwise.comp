#version 460
// types: f32 f16, texels
// y[oy][ox][c] = activation(sum over ky, kx of x[iy][ix][c] W[ky][kx][c] + b[c]) gain + shift
// with iy = oy * stride - padding + ky, ix likewise, and x = 0 outside of the picture: a convolution of
// each channel by itself. x (height * width, channels), W (kernel * kernel, channels) and b (channels)
// f32, y (out_height * out_width, channels). One thread per four channels of a pixel of y.
#extension GL_GOOGLE_include_directive : require
#include "shaders/products/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint ACTIVATION = 0;
layout(constant_id = 2) const uint KERNEL = 3;

READ(0, X, IN4, x);
READ(1, W, vec4, w);
READ(2, B, vec4, b);
WRITE(3, Y, OUT4, y);
layout(push_constant) uniform Push { DepthwiseParams p; };

#include "shaders/common/activation.glsl"

void main() {
    // Channels and columns share the first axis, so that short rows still fill workgroups.
    const uint channels4 = padded(p.channels) / 4;
    const uint column = divide(gl_GlobalInvocationID.x, channels4);
    const uint c = gl_GlobalInvocationID.x - column * channels4;
    const uint row = gl_GlobalInvocationID.y, batch = gl_GlobalInvocationID.z;
    if (column >= p.out_width) return;
    const ivec2 corner = ivec2(column, row) * int(p.stride) - int(p.padding);
    vec4 sum = load_at(b, c);
    // No load depends on where the window ends, so that all can be in flight at once.
    [[unroll]] for (uint ky = 0; ky < KERNEL; ++ky)
        [[unroll]] for (uint kx = 0; kx < KERNEL; ++kx) {
            const ivec2 at = corner + ivec2(kx, ky);
            const ivec2 inside = clamp(at, ivec2(0), ivec2(p.width, p.height) - 1);
            const uint pixel = uint(inside.y) * p.width + uint(inside.x);
            const vec4 value = load_at(x, row_start(p.x, batch, pixel) / 4 + c) *
                               load_at(w, (ky * KERNEL + kx) * p.w_stride / 4 + c);
            sum += at == inside ? value : vec4(0.0);
        }
    store_at(y, row_start(p.y, batch, row * p.out_width + column) / 4 + c,
             before(activate(sum) * p.gain + p.shift, 4 * c, p.channels));
}
