#version 460
// types: f16
// requires: GL_KHR_cooperative_matrix
// conv2d.comp on cooperative matrices: implicit GEMM. The rows of x (im2col) are gathered pixel by
// pixel, eight channels at a time. See conv2d.comp for the formula, product.coopmat.glsl for the
// product. The third axis is the batch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/products/params.h"
#include "shaders/products/constants.h"
#include "shaders/common/types.glsl"

CONV2D_CONSTANTS(SACCADE_SPECIALISED, MATRIX_TILE_CONSTANT_COUNT)

layout(binding = 0) readonly buffer X { uvec4 x[]; };
layout(binding = 1) readonly buffer W { uvec4 w[]; };
layout(binding = 2) readonly buffer B { vec4 b[]; };
layout(binding = 3) readonly buffer R { IN4 r[]; };
layout(binding = 4) writeonly buffer Y { OUT4 y[]; };
layout(binding = 4) writeonly buffer YEights { uvec4 y_eights[]; };
layout(binding = 5) coherent buffer Splits { vec4 splits[]; };
layout(binding = 6) coherent buffer Arrived { uint arrived[]; };
layout(push_constant) uniform Push { Conv2dParams p; ProductAddresses addresses; };

const bool ASKS = RESIDUAL != 0, NOTES = false;

#include "shaders/products/finish.glsl"
#include "shaders/products/product.coopmat.glsl"

// The windows of the rows that this thread loads: (column, row) of their first pixel. Past the last row
// it is the last one, whose result is not stored.
ivec2 corner[X_LOADS];
// Where POINTWISE is set, a window is one pixel, whose channels are read in their order: where they
// begin, in eights.
uint pixel_at[X_LOADS];

void begin_rows() {
    [[unroll]] for (uint i = 0; i < X_LOADS; ++i) {
        const uint m = gl_WorkGroupID.y * BM + load_row(i);
        const uint window = min(m, p.out_height * p.out_width - 1);
        const uint row = divide(window, p.out_width), column = window - row * p.out_width;
        corner[i] = ivec2(column, row) * int(p.stride) - int(p.padding);
        const uint pixel = (row * p.width + column) * p.stride;
        pixel_at[i] = row_start(p.x, batch_index(), pixel) / 8;
    }
}

uvec4 load_x(uint i, uint k8) {
    if (POINTWISE != 0) return Eights(address(addresses.x)).at[pixel_at[i] + k8];
    const uint channels8 = padded(p.channels) / 8;
    const uint tap = divide(k8, channels8), c8 = k8 - tap * channels8;
    const uint ky = divide(tap, p.kernel_width), kx = tap - ky * p.kernel_width;
    const ivec2 at = corner[i] + ivec2(kx, ky) * int(p.dilation);
    const bool in_picture = uint(at.x) < p.width && uint(at.y) < p.height;
    if (!in_picture) blank |= 1u << i;
    const uint pixel = in_picture ? uint(at.y) * p.width + uint(at.x) : 0;
    return Eights(address(addresses.x)).at[row_start(p.x, batch_index(), pixel) / 8 + c8];
}

vec4 bias_of(uint n) { return b[min(n, padded(p.n) - 4) / 4]; }

vec4 ask(uint m, uint n) {
    if (!ASKS) return vec4(0.0);
    const uint pixel = min(m, p.out_height * p.out_width - 1);
    return load(r[(row_start(p.residual, batch_index(), pixel) + min(n, padded(p.n) - 4)) / 4]);
}

void begin_scales() {}
vec4 scaled(uint m, vec4 sum) { return sum; }
uvec2 half_of(vec4 v) { return uvec2(0); }
void leave_halves(uint m, uint n, uvec4 eight) {}
void leave_moments(uint m, vec2 moments) {}

void finish(uint m, uint n, inout vec4 sum[2], vec4 asked[2]) {
    [[unroll]] for (uint f = 0; f < FOURS; ++f) {
        sum[f] = finished(sum[f], asked[f]);
        if (n + f * FN + 4 > p.n) sum[f] = before(sum[f], n + f * FN, p.n);
    }
    put(m < p.out_height * p.out_width, row_start(p.y, batch_index(), m), padded(p.n), n, sum);
}

void main() {
    product(p.kernel_height * p.kernel_width * (padded(p.channels) / 8), p.n, address(addresses.w));
}
