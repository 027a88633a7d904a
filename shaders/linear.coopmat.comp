#version 460
// linear.comp on cooperative matrices: y = activation(x W^T + b), or y += x W^T + b.
// x (m, k) f16, W (n, k) f16 in fragments, b (n) f32, y (m, n). A workgroup makes BM x BN elements
// of y; the third axis is the batch. See product.coopmat.glsl.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "product_constants.h"
#include "types.glsl"

LINEAR_CONSTANTS(SACCADE_SPECIALISED, MATRIX_TILE_CONSTANT_COUNT)

layout(binding = 0) readonly buffer X { uvec4 x[]; };
layout(binding = 1) readonly buffer W { uvec4 w[]; };
layout(binding = 2) readonly buffer B { vec4 b[]; };
layout(binding = 3) buffer Y { OUT4 y[]; };
#if OUT == f16
layout(binding = 3) writeonly buffer YEights { uvec4 y_eights[]; };
#endif
layout(binding = 4) coherent buffer Splits { vec4 splits[]; };
layout(binding = 5) coherent buffer Arrived { uint arrived[]; };
layout(push_constant) uniform Push { LinearParams p; ProductAddresses addresses; };

const bool ASKS = ACCUMULATE != 0;

#include "activation.glsl"
#include "product.coopmat.glsl"

// Where the rows that this thread loads begin, in eights. Past the last row is the last one: nobody
// stores what becomes of it.
uint x_at[X_LOADS];

void begin_rows() {
    [[unroll]] for (uint i = 0; i < X_LOADS; ++i) {
        const uint m = gl_WorkGroupID.y * BM + (gl_LocalInvocationIndex + i * THREADS) / K8;
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

void finish(uint m, uint n, vec4 sum[2], vec4 asked[2]) {
    [[unroll]] for (uint f = 0; f < FOURS; ++f) {
        sum[f] = activate(sum[f]) + asked[f];
        if (n + f * FN + 4 > p.n) sum[f] = before(sum[f], n + f * FN, p.n);
    }
    put(m < p.m, row_start(p.y, batch_index(), m), padded(p.n), n, sum);
}

void main() { product(padded(p.k) / 8, p.n, address(addresses.w)); }
