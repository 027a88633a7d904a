#version 460
// types: f32 f16 f16_f32
// y[m][n] = activation(sum_k x[m][k] W[n][k] + b[n])          or, where ACCUMULATE is set,
// y[m][n] = y[m][n] + sum_k x[m][k] W[n][k] + b[n]
// for up to ROWS rows of x: x (m, k), W (n, k), b (n), y (m, n). One workgroup computes GROUP columns
// of all rows. The third axis is the batch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/products/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint LANES = 4;
layout(constant_id = 2) const uint COLUMNS = 4;
layout(constant_id = 3) const uint ROWS = 1;
layout(constant_id = 4) const uint STEPS = 1;
layout(constant_id = 5) const uint ACTIVATION = 0;
layout(constant_id = 6) const uint BIAS = 1;
layout(constant_id = 7) const uint ACCUMULATE = 0;

#include "shaders/common/activation.glsl"
#include "shaders/products/row_product.glsl"

layout(binding = 0) readonly buffer X { RAW4 x[]; };
layout(binding = 1) readonly buffer W { RAW4 w[]; };
layout(binding = 2) readonly buffer B { vec4 b[]; };
layout(binding = 3) buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { LinearParams p; };

#if T == f16
RAW w_at(uint i) { return w[i]; }
Eight x_at(uint row, uint i) {
    return unpacked(x[row_start(p.x, gl_WorkGroupID.z, min(row, p.m - 1)) / 8 + i]);
}
#else
RAW w_at(uint i) { return Eight(w[2 * i], w[2 * i + 1]); }
Eight x_at(uint row, uint i) {
    const uint at = row_start(p.x, gl_WorkGroupID.z, min(row, p.m - 1)) / 4 + 2 * i;
    return Eight(x[at], x[at + 1]);
}
#endif

void main() {
    const uint me = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * GROUP;
    const uint eights = (p.k + 7) / 8;
    begin_product(first, p.n, eights, p.w_stride);
    end_product(eights);

    // Four columns of a row at a time.
    for (uint i = me; i < ROWS * GROUP / 4; i += THREADS) {
        const uint row = i / (GROUP / 4), four = 4 * (i % (GROUP / 4)), column = first + four;
        if (row >= p.m || column >= padded(p.n)) continue;
        vec4 v = vec4(product(row, four), product(row, four + 1), product(row, four + 2),
                      product(row, four + 3));
        if (BIAS != 0) v += b[(p.bias + column) / 4];
        v = activate(v);
        const uint at = (row_start(p.y, gl_WorkGroupID.z, row) + column) / 4;
        if (ACCUMULATE != 0) v += load_out(y[at]);
        y[at] = store(before(v, column, p.n));
    }
}
