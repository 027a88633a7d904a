#version 460
// types: f32 f16 f16_f32
// y = activation(LN(x) W^T + b) for up to ROWS rows of x, LN over the columns of each:
// LN(x) = (x - mean) / sqrt(variance + eps) * gain + shift
// x (m, k) f32, gain, shift (k), W (n, k), b (n), y (m, n). Every workgroup normalises the rows for
// itself, into shared memory, while its first part of W is on the way, and computes GROUP columns.
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
layout(constant_id = 7) const uint EIGHTS = 96;  // of a row of x

#include "shaders/common/activation.glsl"
#include "shaders/common/reduce.glsl"
#include "shaders/products/row_product.glsl"

layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) readonly buffer Gain { vec4 gain[]; };
layout(binding = 2) readonly buffer Shift { vec4 shift[]; };
layout(binding = 3) readonly buffer W { RAW4 w[]; };
layout(binding = 4) readonly buffer B { vec4 b[]; };
layout(binding = 5) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { NormLinearParams p; };

shared vec4 normal[ROWS * 2 * EIGHTS];

#if T == f16
RAW w_at(uint i) { return w[i]; }
#else
RAW w_at(uint i) { return Eight(w[2 * i], w[2 * i + 1]); }
#endif
Eight x_at(uint row, uint i) {
    const uint at = 2 * (row * EIGHTS + i);
    return Eight(normal[at], normal[at + 1]);
}

void normalize_row(uint row) {
    const uint me = gl_LocalInvocationID.x;
    const uint x_start = row_start(p.x, gl_WorkGroupID.z, min(row, p.m - 1)) / 4;
    const uint to = row * 2 * EIGHTS;
    vec4 sum = vec4(0.0);
    for (uint j = me; j < 2 * EIGHTS; j += THREADS) {
        const vec4 v = before(x[x_start + j], 4 * j, p.k);
        normal[to + j] = v;
        sum += v;
    }
    const float mean = workgroup_sum(dot(sum, vec4(1.0))) / float(p.k);
    vec4 squares = vec4(0.0);
    for (uint j = me; j < 2 * EIGHTS; j += THREADS) {
        const vec4 d = before(normal[to + j] - mean, 4 * j, p.k);
        squares += d * d;
    }
    const float variance = workgroup_sum(dot(squares, vec4(1.0))) / float(p.k);
    const float scale = 1.0 / sqrt(variance + p.eps);
    for (uint j = me; j < 2 * EIGHTS; j += THREADS)
        normal[to + j] = before((normal[to + j] - mean) * scale * gain[j] + shift[j], 4 * j, p.k);
}

void main() {
    const uint me = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * GROUP;
    begin_product(first, p.n, EIGHTS, p.w_stride);
    for (uint row = 0; row < ROWS; ++row) normalize_row(row);
    barrier();
    end_product(EIGHTS);

    // Four columns of a row at a time.
    for (uint i = me; i < ROWS * GROUP / 4; i += THREADS) {
        const uint row = i / (GROUP / 4), four = 4 * (i % (GROUP / 4)), column = first + four;
        if (row >= p.m || column >= padded(p.n)) continue;
        vec4 v = vec4(product(row, four), product(row, four + 1), product(row, four + 2),
                      product(row, four + 3));
        if (BIAS != 0) v += b[(p.bias + column) / 4];
        y[(row_start(p.y, gl_WorkGroupID.z, row) + column) / 4] =
            store(before(activate(v), column, p.n));
    }
}
