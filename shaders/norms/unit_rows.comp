#version 460
// types: f32 f16 f32_f16 f16_f32
// y = scale x / (|x| + eps), over the columns of each row: x and y (rows, columns). One workgroup
// per row.
#extension GL_GOOGLE_include_directive : require
#include "shaders/norms/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) readonly buffer X { IN4 x[]; };
layout(binding = 1) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { UnitRowsParams p; };

#include "shaders/common/reduce.glsl"

void main() {
    const uint row = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint x_at = row_start(p.x, batch, row) / 4, y_at = row_start(p.y, batch, row) / 4;
    const uint fours = padded(p.columns) / 4;
    vec4 squares = vec4(0.0);
    for (uint j = gl_LocalInvocationID.x; j < fours; j += THREADS) {
        const vec4 four = before(load(x[x_at + j]), 4 * j, p.columns);
        squares += four * four;
    }
    const float length = sqrt(workgroup_sum(dot(squares, vec4(1.0))));
    const float factor = p.scale / (length + p.eps);
    for (uint j = gl_LocalInvocationID.x; j < fours; j += THREADS)
        y[y_at + j] = store(before(load(x[x_at + j]) * factor, 4 * j, p.columns));
}
