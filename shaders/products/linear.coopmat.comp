#version 460
// types: f16 f16_f32
// requires: GL_KHR_cooperative_matrix
// linear.comp on cooperative matrices: y = activation(x W^T + b), or y += x W^T + b.
// x (m, k) f16, W (n, k) f16 in fragments, b (n) f32, y (m, n). A workgroup makes BM x BN elements
// of y; the third axis is the batch. See product.coopmat.glsl.
#extension GL_GOOGLE_include_directive : require
#include "shaders/products/params.h"
#include "shaders/products/constants.h"
#include "shaders/common/types.glsl"

LINEAR_CONSTANTS(SACCADE_SPECIALISED, MATRIX_TILE_CONSTANT_COUNT)
STREAM_CONSTANTS(SACCADE_SPECIALISED, MATRIX_TILE_CONSTANT_COUNT + LINEAR_CONSTANT_COUNT)

layout(binding = 0) readonly buffer X { uvec4 x[]; };
layout(binding = 1) readonly buffer W { uvec4 w[]; };
layout(binding = 2) readonly buffer B { vec4 b[]; };
layout(binding = 3) buffer Y { OUT4 y[]; };
#if OUT == f16
layout(binding = 3) writeonly buffer YEights { uvec4 y_eights[]; };
#endif
layout(binding = 4) coherent buffer Splits { vec4 splits[]; };
layout(binding = 5) coherent buffer Arrived { uint arrived[]; };
layout(binding = 6) buffer Moments { vec2 moments[]; };
layout(binding = 7) writeonly buffer Halves { uvec4 halves[]; };
layout(push_constant) uniform Push { LinearParams p; ProductAddresses addresses; float eps; };

const bool ASKS = ACCUMULATE != 0, NOTES = NEXT != 0;

#include "shaders/common/activation.glsl"
#include "shaders/products/product.coopmat.glsl"

// Where the rows that this thread loads begin, in eights. Past the last row it
// is the last one, whose result is not stored.
uint x_at[X_LOADS];

void ask_moments();

void begin_rows() {
    if (MOMENTS > 0) ask_moments();
    [[unroll]] for (uint i = 0; i < X_LOADS; ++i) {
        const uint m = gl_WorkGroupID.y * BM + load_row(i);
        x_at[i] = row_start(p.x, batch_index(), min(m, p.m - 1)) / 8;
    }
}

uvec4 load_x(uint i, uint k8) { return Eights(address(addresses.x)).at[x_at[i] + k8]; }

vec4 bias_of(uint n) {
    return BIAS != 0 ? b[(p.bias + min(n, padded(p.n) - 4)) / 4] : vec4(0.0);
}

vec4 ask(uint m, uint n) {
    if (!ASKS) return vec4(0.0);
    const uint at = row_start(p.y, batch_index(), min(m, p.m - 1)) + min(n, padded(p.n) - 4);
    return load_out(y[at / 4]);
}

// Where x is the halves of a stream, products are scaled by each row's 1 / deviation, which
// normalises it.
vec2 part[MOMENTS > 0 ? MOMENTS : 1];  // moments of the row whose scale this thread computes
shared float scale[MOMENTS > 0 ? BM : 1];

uint row_number(uint m) { return batch_index() * p.m + m; }
float part_columns(uint i) { return float(min(WIDTH, p.k - i * WIDTH)); }

void ask_moments() {
    const uint m = gl_WorkGroupID.y * BM + min(gl_LocalInvocationIndex, BM - 1);
    const uint at = row_number(min(m, p.m - 1)) * MOMENTS;
    [[unroll]] for (uint i = 0; i < MOMENTS; ++i) part[i] = moments[at + i];
}

void begin_scales() {
    if (MOMENTS == 0) return;
    float mean = 0.0, squares = 0.0;
    [[unroll]] for (uint i = 0; i < MOMENTS; ++i) mean += part_columns(i) * part[i].x;
    mean /= float(p.k);
    [[unroll]] for (uint i = 0; i < MOMENTS; ++i) {
        const float d = part[i].x - mean;
        squares += part[i].y + part_columns(i) * d * d;
    }
    if (gl_LocalInvocationIndex < BM)
        scale[gl_LocalInvocationIndex] = halves_scale * inversesqrt(squares / float(p.k) + eps);
}

vec4 scaled(uint m, vec4 sum) {
    return MOMENTS > 0 ? sum * scale[min(m - gl_WorkGroupID.y * BM, BM - 1)] : sum;
}

// Where y is a stream, the next product reads it as halves, scaled so that large values fit.
uvec2 half_of(vec4 v) {
    const vec4 held = clamp(v / halves_scale, -65504.0, 65504.0);
    return uvec2(packHalf2x16(held.xy), packHalf2x16(held.zw));
}

void leave_halves(uint m, uint n, uvec4 eight) {
    if (m < p.m && n < p.n) halves[(row_number(m) * p.n + n) / 8] = eight;
}

void leave_moments(uint m, vec2 of_row) {
    if (m < p.m) moments[row_number(m) * gl_NumWorkGroups.x + gl_WorkGroupID.x] = of_row;
}

void finish(uint m, uint n, inout vec4 sum[2], vec4 asked[2]) {
    [[unroll]] for (uint f = 0; f < FOURS; ++f) {
        sum[f] = activate(sum[f]) + asked[f];
        if (n + f * FN + 4 > p.n) sum[f] = before(sum[f], n + f * FN, p.n);
    }
    put(m < p.m, row_start(p.y, batch_index(), m), padded(p.n), n, sum);
}

void main() { product(padded(p.k) / 8, p.n, address(addresses.w)); }
