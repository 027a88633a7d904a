#version 460
// y = (x - mean) / sqrt(variance + eps) * weight + bias, over the columns of each row.
// x, y (rows, columns); weight, bias (columns). One workgroup per row; the mean is taken before the
// squares, because E[x^2] - E[x]^2 cancels where the mean is large.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

READ(0, X, IN4, x);
READ(1, Weight, vec4, weight);
READ(2, Bias, vec4, bias);
WRITE(3, Y, OUT4, y);
layout(push_constant) uniform Push { LayerNormParams p; };

#include "reduce.glsl"

void main() {
    const uint row = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint x_at = row_start(p.x, batch, row) / 4, y_at = row_start(p.y, batch, row) / 4;
    const uint columns4 = (p.columns + 3) / 4;
    const uint me = gl_LocalInvocationID.x;

    vec4 sum = vec4(0.0);
    for (uint j = me; j < columns4; j += THREADS) sum += load_at(x, x_at + j);  // padding is zero
    const float mean = workgroup_sum(dot(sum, vec4(1.0))) / float(p.columns);

    vec4 squares = vec4(0.0);
    for (uint j = me; j < columns4; j += THREADS) {
        const vec4 d = before(load_at(x, x_at + j) - mean, 4 * j, p.columns);
        squares += d * d;
    }
    const float variance = workgroup_sum(dot(squares, vec4(1.0))) / float(p.columns);
    const float scale = 1.0 / sqrt(variance + p.eps);

    for (uint j = me; j < padded(p.columns) / 4; j += THREADS) {
        const vec4 v = (load_at(x, x_at + j) - mean) * scale * load_at(weight, j) + load_at(bias, j);
        store_at(y, y_at + j, before(v, 4 * j, p.columns));
    }
}
