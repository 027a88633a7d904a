#version 460
// linear.comp on cooperative matrices: y = activation(x W^T + b), or y += x W^T + b.
// x (m, k) f16, W (n, k) f16, b (n) f32, y (m, n). A workgroup makes BM x BN elements of y; the third
// axis is the batch. See product.coopmat.glsl.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "types.glsl"

layout(constant_id = 11) const uint ACTIVATION = 0;
layout(constant_id = 12) const uint BIAS = 1;
layout(constant_id = 13) const uint ACCUMULATE = 0;

layout(binding = 0) readonly buffer X { uvec4 x[]; };
layout(binding = 1) readonly buffer W { uvec4 w[]; };
layout(binding = 2) readonly buffer B { vec4 b[]; };
layout(binding = 3) buffer Y { OUT4 y[]; };
layout(binding = 4) coherent buffer Splits { vec4 splits[]; };
layout(binding = 5) coherent buffer Arrived { uint arrived[]; };
layout(push_constant) uniform Push { LinearParams p; };

#include "activation.glsl"
#include "product.coopmat.glsl"

void begin_rows() {}

uvec4 load_x(uint i, uint row, uint k8) {
    const uint m = gl_WorkGroupID.y * BM + row;
    if (m >= p.m || k8 >= k8_end) return uvec4(0);
    return x[row_start(p.x, batch_index(), m) / 8 + k8];
}

uvec4 load_w(uint row, uint k8) {
    const uint n = gl_WorkGroupID.x * BN + row;
    if (n >= p.n || k8 >= k8_end) return uvec4(0);
    return w[n * (p.w_stride / 8) + k8];
}

vec4 bias_of(uint n) {
    return BIAS != 0 ? b[(p.bias + min(n, padded(p.n) - 4)) / 4] : vec4(0.0);
}

vec4 ask(uint m, uint n) {
    if (ACCUMULATE == 0) return vec4(0.0);
    const uint at = row_start(p.y, batch_index(), min(m, p.m - 1)) + min(n, padded(p.n) - 4);
    return load_out(y[at / 4]);
}

void finish(uint m, uint n, vec4 sum, vec4 asked) {
    const vec4 v = before(activate(sum) + asked, n, p.n);
    if (m < p.m && n < padded(p.n)) y[(row_start(p.y, batch_index(), m) + n) / 4] = store(v);
}

void main() { product(padded(p.k) / 8); }
