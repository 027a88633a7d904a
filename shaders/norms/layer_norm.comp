#version 460
// types: f32 f16 f32_f16 f16_f32, texels
// y = (x - mean) / sqrt(variance + eps) * weight + bias, over the columns of each row.
// x, y (rows, columns); weight, bias (columns). One workgroup per row; the mean is taken before the
// squares, because E[x^2] - E[x]^2 cancels where the mean is large.
#extension GL_GOOGLE_include_directive : require
#include "shaders/norms/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint ROUNDS = 0;

READ(0, X, IN4, x);
READ(1, Weight, vec4, weight);
READ(2, Bias, vec4, bias);
WRITE(3, Y, OUT4, y);
layout(push_constant) uniform Push { LayerNormParams p; };

#include "shaders/common/reduce.glsl"
#include "shaders/norms/row_norm.glsl"

void main() {
    const uint row = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint y_at = row_start(p.y, batch, row) / 4;
    const RowNorm norm = norm_of_row(row_start(p.x, batch, row) / 4, p.columns, p.eps);
    const uint fours = padded(p.columns) / 4;
    ROUNDS_OVER(fours, i, j) store_at(y, y_at + j, normal_at(norm, i, j));
}
