#version 460
// types: f32 f16 f16_f32
// linear.comp with tiles in shared memory: y = activation(x W^T + b), or y += x W^T + b.
// x (m, k), W (n, k), b (n) f32, y (m, n). A workgroup makes BM x BN elements of y; the third axis is
// the batch. See product.tiled.glsl.
#extension GL_GOOGLE_include_directive : require
#include "shaders/products/params.h"
#include "shaders/products/constants.h"
#include "shaders/common/types.glsl"

LINEAR_CONSTANTS(SACCADE_SPECIALISED, SHARED_TILE_CONSTANT_COUNT)

layout(binding = 0) readonly buffer X { IN_WIDE x[]; };
layout(binding = 1) readonly buffer W { IN_WIDE w[]; };
layout(binding = 2) readonly buffer B { vec4 b[]; };
layout(binding = 3) buffer Y { OUT4 y[]; };
layout(binding = 4) coherent buffer Splits { vec4 splits[]; };
layout(binding = 5) coherent buffer Arrived { uint arrived[]; };
layout(push_constant) uniform Push { LinearParams p; };

#include "shaders/common/activation.glsl"
#include "shaders/products/product.tiled.glsl"

// Where the rows that this thread loads begin. Past the last row it
// is the last one, whose result is not stored.
uint x_at[X_LOADS];

void begin_rows() {
    [[unroll]] for (uint i = 0; i < X_LOADS; ++i) {
        const uint m = gl_WorkGroupID.y * BM + (gl_LocalInvocationIndex + i * THREADS) / LOADS;
        x_at[i] = row_start(p.x, batch_index(), min(m, p.m - 1)) / IN_WIDTH;
    }
}

IN_WIDE load_x(uint i, uint k) { return x[x_at[i] + k]; }

vec4 bias_of(uint n) {
    return BIAS != 0 ? b[(p.bias + min(n, padded(p.n) - 4)) / 4] : vec4(0.0);
}

vec4 ask(uint m, uint n) {
    if (ACCUMULATE == 0) return vec4(0.0);
    const uint at = row_start(p.y, batch_index(), min(m, p.m - 1)) + min(n, padded(p.n) - 4);
    return load_out(y[at / 4]);
}

void finish(uint m, uint n, vec4 sum, vec4 asked) {
    vec4 v = activate(sum) + asked;
    if (n + 4 > p.n) v = before(v, n, p.n);
    if (m < p.m && n < padded(p.n)) y[(row_start(p.y, batch_index(), m) + n) / 4] = store(v);
}

void main() { product(padded(p.k), p.n, p.w_stride); }
