#version 460
// types: f32 f32_f16, texels
// x = (x - mean) / sqrt(variance + eps) * weight + bias, over the columns of each row, in place;
// y = x and at = x + positions where they are wanted.
// x, y, at (rows, columns); positions (rows, columns) of one batch or of each; weight, bias
// (columns). One workgroup per row; a thread writes only elements that no other thread still reads.
#extension GL_GOOGLE_include_directive : require
#include "shaders/norms/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint ROUNDS = 0;
layout(constant_id = 2) const uint Y = 0;
layout(constant_id = 3) const uint AT = 0;

READ_WRITE(0, Stream, vec4, x);
READ(1, Weight, vec4, weight);
READ(2, Bias, vec4, bias);
READ(3, Positions, vec4, positions);
WRITE(4, Copy, OUT4, y);
WRITE(5, Placed, OUT4, at);
layout(push_constant) uniform Push { PostNormParams p; };

#include "shaders/common/reduce.glsl"
#include "shaders/norms/row_norm.glsl"

void main() {
    const uint row = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint x_at = row_start(p.x, batch, row) / 4;
    const uint y_at = row_start(p.y, batch, row) / 4;
    const uint placed_at = row_start(p.at, batch, row) / 4;
    const uint positions_at = row_start(p.positions, batch, row) / 4;
    const RowNorm norm = norm_of_row(x_at, p.columns, p.eps);
    const uint fours = padded(p.columns) / 4;
    ROUNDS_OVER(fours, i, j) {
        const vec4 v = normal_at(norm, i, j);
        store_f32_at(x, x_at + j, v);
        if (Y != 0) store_at(y, y_at + j, v);
        if (AT != 0) store_at(at, placed_at + j, v + load_at(positions, positions_at + j));
    }
}
