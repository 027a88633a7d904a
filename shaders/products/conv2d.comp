#version 460
// types: f32 f16, texels
// y[oy][ox][n] = activation(sum over ky, kx, c of x[iy][ix][c] W[n][ky][kx][c] + b[n] + r[oy][ox][n])
//                gain + shift, or r after that: see finish.glsl,
// with iy = oy * stride - padding + ky * dilation, ix likewise, and x = 0 outside of the picture.
// x (height * width, channels), W (n, kernel * padded channels), b (n), r and y (out_height *
// out_width, n). The product of linear.comp with rows of x gathered as they are needed: one thread
// holds TILE_M pixels x TILE_N channels of y. The third axis is the batch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/products/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint TILE_M = 4;  // up to 4, or a multiple of 4
layout(constant_id = 3) const uint TILE_N = 4;  // a multiple of 4
layout(constant_id = 4) const uint ACTIVATION = 0;
layout(constant_id = 5) const uint RESIDUAL = 0;

READ(0, X, IN4, x);
READ(1, W, IN4, w);
READ(2, B, vec4, b);
READ(3, R, IN4, r);
WRITE(4, Y, OUT4, y);
layout(push_constant) uniform Push { Conv2dParams p; };

const uint AT_ONCE = TILE_M < 4 ? TILE_M : 4;

#include "shaders/products/finish.glsl"

void main() {
    const uint n0 = gl_GlobalInvocationID.x * TILE_N;
    const uint m0 = gl_GlobalInvocationID.y * TILE_M;
    const uint batch = gl_GlobalInvocationID.z;
    const uint pixels = p.out_height * p.out_width;
    if (n0 >= padded(p.n) || m0 >= pixels) return;

    ivec2 corner[TILE_M];  // (column, row) of the window's first pixel
    uint w_at[TILE_N];
    vec4 sum[TILE_M][TILE_N / 4];
    [[unroll]] for (uint i = 0; i < TILE_M; ++i) {
        const uint m = min(m0 + i, pixels - 1);
        const uint row = divide(m, p.out_width);
        corner[i] = ivec2(m - row * p.out_width, row) * int(p.stride) - int(p.padding);
        [[unroll]] for (uint j = 0; j < TILE_N / 4; ++j) sum[i][j] = vec4(0.0);
    }
    [[unroll]] for (uint j = 0; j < TILE_N; ++j) w_at[j] = min(n0 + j, p.n - 1) * p.w_stride / 4;

    const uint channels4 = (p.channels + 3) / 4;
    for (uint ky = 0; ky < p.kernel_height; ++ky) {
        for (uint kx = 0; kx < p.kernel_width; ++kx) {
            uint x_at[TILE_M];
            float inside[TILE_M];
            [[unroll]] for (uint i = 0; i < TILE_M; ++i) {
                const ivec2 at = corner[i] + ivec2(kx, ky) * int(p.dilation);
                const bool in_picture = at.x >= 0 && at.y >= 0 && at.x < int(p.width) &&
                                        at.y < int(p.height);
                inside[i] = in_picture ? 1.0 : 0.0;
                x_at[i] = row_start(p.x, batch,
                                    in_picture ? uint(at.y) * p.width + uint(at.x) : 0) / 4;
            }
            const uint tap = (ky * p.kernel_width + kx) * (padded(p.channels) / 4);
            for (uint c = 0; c < channels4; ++c) {
                vec4 wc[TILE_N];
                [[unroll]] for (uint j = 0; j < TILE_N; ++j)
                    wc[j] = load_at(w, w_at[j] + tap + c);
                [[unroll]] for (uint i0 = 0; i0 < TILE_M; i0 += AT_ONCE) {
                    vec4 xc[AT_ONCE];
                    [[unroll]] for (uint i = 0; i < AT_ONCE; ++i)
                        xc[i] = load_at(x, x_at[i0 + i] + c) * inside[i0 + i];
                    [[unroll]] for (uint j = 0; j < TILE_N; ++j)
                        [[unroll]] for (uint i = 0; i < AT_ONCE; ++i)
                            sum[i0 + i][j / 4][j % 4] += dot(xc[i], wc[j]);
                }
            }
        }
    }

    [[unroll]] for (uint i = 0; i < TILE_M; ++i) {
        if (m0 + i >= pixels) break;
        const uint y_at = row_start(p.y, batch, m0 + i) / 4;
        const uint r_at = row_start(p.residual, batch, m0 + i) / 4;
        [[unroll]] for (uint j = 0; j < TILE_N / 4; ++j) {
            const uint column = n0 + 4 * j;
            if (column >= padded(p.n)) break;
            const vec4 asked = RESIDUAL != 0 ? load_at(r, r_at + column / 4) : vec4(0.0);
            const vec4 v = finished(sum[i][j] + load_at(b, column / 4), asked);
            store_at(y, y_at + column / 4, before(v, column, p.n));
        }
    }
}
