#version 460
// types: f32 f16 f16_f32, texels
// y[m][n] = activation(sum_k x[m][k] W[n][k] + b[n])          or, where ACCUMULATE is set,
// y[m][n] = y[m][n] + sum_k x[m][k] W[n][k] + b[n]
// x (m, k), W (n, k), b (n), y (m, n). One thread holds TILE_M x TILE_N sums in registers and
// loads four elements at a time, those of all its columns of W and of AT_ONCE rows of x; rows are
// padded with zeros, so k needs no edge. The third axis is the batch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/products/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint TILE_M = 4;  // up to 4, or a multiple of 4
layout(constant_id = 3) const uint TILE_N = 4;  // a multiple of 4
layout(constant_id = 4) const uint ACTIVATION = 0;
layout(constant_id = 5) const uint BIAS = 1;
layout(constant_id = 6) const uint ACCUMULATE = 0;

READ(0, X, IN4, x);
READ(1, W, IN4, w);
READ(2, B, vec4, b);
READ_WRITE(3, Y, OUT4, y);
layout(push_constant) uniform Push { LinearParams p; };

const uint AT_ONCE = TILE_M < 4 ? TILE_M : 4;

#include "shaders/common/activation.glsl"

void main() {
    const uint n0 = gl_GlobalInvocationID.x * TILE_N;
    const uint m0 = gl_GlobalInvocationID.y * TILE_M;
    if (n0 >= padded(p.n) || m0 >= p.m) return;

    uint x_at[TILE_M];
    uint w_at[TILE_N];
    vec4 sum[TILE_M][TILE_N / 4];
    [[unroll]] for (uint i = 0; i < TILE_M; ++i) {
        x_at[i] = row_start(p.x, gl_GlobalInvocationID.z, min(m0 + i, p.m - 1)) / 4;
        [[unroll]] for (uint j = 0; j < TILE_N / 4; ++j) sum[i][j] = vec4(0.0);
    }
    [[unroll]] for (uint j = 0; j < TILE_N; ++j) w_at[j] = min(n0 + j, p.n - 1) * p.w_stride / 4;

    const uint k4 = (p.k + 3) / 4;
    for (uint k = 0; k < k4; ++k) {
        vec4 wk[TILE_N];
        [[unroll]] for (uint j = 0; j < TILE_N; ++j) wk[j] = load_at(w, w_at[j] + k);
        [[unroll]] for (uint i0 = 0; i0 < TILE_M; i0 += AT_ONCE) {
            vec4 xk[AT_ONCE];
            [[unroll]] for (uint i = 0; i < AT_ONCE; ++i) xk[i] = load_at(x, x_at[i0 + i] + k);
            [[unroll]] for (uint j = 0; j < TILE_N; ++j)
                [[unroll]] for (uint i = 0; i < AT_ONCE; ++i)
                    sum[i0 + i][j / 4][j % 4] += dot(xk[i], wk[j]);
        }
    }

    [[unroll]] for (uint i = 0; i < TILE_M; ++i) {
        if (m0 + i >= p.m) break;
        const uint y_at = row_start(p.y, gl_GlobalInvocationID.z, m0 + i) / 4;
        [[unroll]] for (uint j = 0; j < TILE_N / 4; ++j) {
            const uint column = n0 + 4 * j;
            if (column >= padded(p.n)) break;
            vec4 v = sum[i][j];
            if (BIAS != 0) v += load_at(b, (p.bias + column) / 4);
            v = activate(v);
            if (ACCUMULATE != 0) v += load_at(y, y_at + column / 4);
            store_at(y, y_at + column / 4, before(v, column, p.n));
        }
    }
}
