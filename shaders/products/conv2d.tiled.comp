#version 460
// types: f32 f16
// conv2d.comp with tiles in shared memory: implicit GEMM. The rows of x (im2col) are gathered pixel by
// pixel, 16 bytes of channels at a time. See conv2d.comp for the formula, product.tiled.glsl for the product.
// The third axis is the batch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/products/params.h"
#include "shaders/products/constants.h"
#include "shaders/common/types.glsl"

CONV2D_CONSTANTS(SACCADE_SPECIALISED, SHARED_TILE_CONSTANT_COUNT)

layout(binding = 0) readonly buffer X { IN_WIDE x[]; };
layout(binding = 1) readonly buffer W { IN_WIDE w[]; };
layout(binding = 2) readonly buffer B { vec4 b[]; };
layout(binding = 3) readonly buffer R { IN4 r[]; };
layout(binding = 4) writeonly buffer Y { OUT4 y[]; };
layout(binding = 5) coherent buffer Splits { vec4 splits[]; };
layout(binding = 6) coherent buffer Arrived { uint arrived[]; };
layout(push_constant) uniform Push { Conv2dParams p; };

#include "shaders/products/finish.glsl"
#include "shaders/products/product.tiled.glsl"

// The windows of the rows that this thread loads: (column, row) of their first pixel. Past the last row
// it is the last one, whose result is not stored.
ivec2 corner[X_LOADS];
// Where POINTWISE is set, a window is one pixel, whose channels are read in their order: where they
// begin, in loads.
uint pixel_at[X_LOADS];

void begin_rows() {
    [[unroll]] for (uint i = 0; i < X_LOADS; ++i) {
        const uint m = gl_WorkGroupID.y * BM + (gl_LocalInvocationIndex + i * THREADS) / LOADS;
        const uint window = min(m, p.out_height * p.out_width - 1);
        const uint row = divide(window, p.out_width), column = window - row * p.out_width;
        corner[i] = ivec2(column, row) * int(p.stride) - int(p.padding);
        const uint pixel = (row * p.width + column) * p.stride;
        pixel_at[i] = row_start(p.x, batch_index(), pixel) / IN_WIDTH;
    }
}

IN_WIDE load_x(uint i, uint k) {
    if (POINTWISE != 0) return x[pixel_at[i] + k];
    const uint channels = padded(p.channels) / IN_WIDTH;
    const uint tap = divide(k, channels), c = k - tap * channels;
    const uint ky = divide(tap, p.kernel_width), kx = tap - ky * p.kernel_width;
    const ivec2 at = corner[i] + ivec2(kx, ky) * int(p.dilation);
    const bool in_picture = uint(at.x) < p.width && uint(at.y) < p.height;
    if (!in_picture) blank |= 1u << i;
    const uint pixel = in_picture ? uint(at.y) * p.width + uint(at.x) : 0;
    return x[row_start(p.x, batch_index(), pixel) / IN_WIDTH + c];
}

vec4 bias_of(uint n) { return b[min(n, padded(p.n) - 4) / 4]; }

vec4 ask(uint m, uint n) {
    if (RESIDUAL == 0) return vec4(0.0);
    const uint pixel = min(m, p.out_height * p.out_width - 1);
    return load(r[(row_start(p.residual, batch_index(), pixel) + min(n, padded(p.n) - 4)) / 4]);
}

void finish(uint m, uint n, vec4 sum, vec4 asked) {
    vec4 v = finished(sum, asked);
    if (n + 4 > p.n) v = before(v, n, p.n);
    if (m < p.out_height * p.out_width && n < padded(p.n))
        y[(row_start(p.y, batch_index(), m) + n) / 4] = store(v);
}

void main() {
    product(p.kernel_height * p.kernel_width * padded(p.channels), p.n, p.w_stride);
}
