#version 460
// types: f32 f32_f16
// z += LN(x), over each row, and where NEXT is set y = z in the type of products.
// x, z (rows, columns) f32, y (rows, columns). One workgroup per row; the third axis is the batch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/norms/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint ROUNDS = 0;
layout(constant_id = 2) const bool NEXT = false;

layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) readonly buffer Weight { vec4 weight[]; };
layout(binding = 2) readonly buffer Bias { vec4 bias[]; };
layout(binding = 3) buffer Z { vec4 z[]; };
layout(binding = 4) buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { NormAddParams p; };

#include "shaders/common/reduce.glsl"
#include "shaders/norms/row_norm.glsl"

void main() {
    const uint row = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint z_at = row_start(p.z, batch, row) / 4, y_at = row_start(p.y, batch, row) / 4;
    const RowNorm norm = norm_of_row(row_start(p.x, batch, row) / 4, p.columns, p.eps);
    const uint fours = padded(p.columns) / 4;
    ROUNDS_OVER(fours, i, j) {
        const vec4 v = z[z_at + j] + normal_at(norm, i, j);
        z[z_at + j] = v;
        if (NEXT) y[y_at + j] = store(v);
    }
}
