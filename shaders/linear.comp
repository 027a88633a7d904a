#version 460
// y[m][n] = activation(sum_k x[m][k] W[n][k] + b[n])          or, where ACCUMULATE is set,
// y[m][n] = y[m][n] + sum_k x[m][k] W[n][k] + b[n]
// x (m, k), W (n, k), b (n), y (m, n). One thread holds TILE_M x TILE_N sums in registers and
// loads four elements at a time; rows are padded with zeros, so k needs no edge. The third axis
// is the batch.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint TILE_M = 4;
layout(constant_id = 3) const uint TILE_N = 4;  // a multiple of 4
layout(constant_id = 4) const uint ACTIVATION = 0;
layout(constant_id = 5) const uint BIAS = 1;
layout(constant_id = 6) const uint ACCUMULATE = 0;

layout(binding = 0) readonly buffer X { IN4 x[]; };
layout(binding = 1) readonly buffer W { IN4 w[]; };
layout(binding = 2) readonly buffer B { vec4 b[]; };
layout(binding = 3) buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { LinearParams p; };

#include "activation.glsl"

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
        [[unroll]] for (uint j = 0; j < TILE_N; ++j) wk[j] = load(w[w_at[j] + k]);
        [[unroll]] for (uint i = 0; i < TILE_M; ++i) {
            const vec4 xk = load(x[x_at[i] + k]);
            [[unroll]] for (uint j = 0; j < TILE_N; j += 4)
                sum[i][j / 4] += vec4(dot(xk, wk[j]), dot(xk, wk[j + 1]), dot(xk, wk[j + 2]),
                                      dot(xk, wk[j + 3]));
        }
    }

    [[unroll]] for (uint i = 0; i < TILE_M; ++i) {
        if (m0 + i >= p.m) break;
        const uint y_at = row_start(p.y, gl_GlobalInvocationID.z, m0 + i) / 4;
        [[unroll]] for (uint j = 0; j < TILE_N / 4; ++j) {
            const uint column = n0 + 4 * j;
            if (column >= padded(p.n)) break;
            vec4 v = sum[i][j];
            if (BIAS != 0) v += b[(p.bias + column) / 4];
            v = activate(v);
            if (ACCUMULATE != 0) v += load_out(y[y_at + column / 4]);
            y[y_at + column / 4] = store(before(v, column, p.n));
        }
    }
}
