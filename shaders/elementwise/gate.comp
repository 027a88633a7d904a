#version 460
// types: f32 f16
// y[r][j] = activation(x[r][j]) * x[r][second + j]: what the second half of a row has, as far as the
// first half lets it through. x (rows, second + columns), y (rows, columns). One thread per four
// elements of y; the second axis is the row, the third the batch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/elementwise/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint ACTIVATION = 0;

layout(binding = 0) readonly buffer X { IN4 x[]; };
layout(binding = 1) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { GateParams p; };

#include "shaders/common/activation.glsl"

void main() {
    const uint column = 4 * gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    if (column >= padded(p.columns)) return;
    const uint at = row_start(p.x, gl_GlobalInvocationID.z, row) + column;
    const vec4 v = activate(load(x[at / 4])) * load(x[(at + p.second) / 4]);
    y[(row_start(p.y, gl_GlobalInvocationID.z, row) + column) / 4] =
        store(before(v, column, p.columns));
}
