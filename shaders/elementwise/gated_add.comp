#version 460
// types: f32 f16
// x = g x + h other, in place, where a row of the gates is g and, from column `second` on, h.
// x, gates f32 and other (rows, columns). One thread per four columns.
#extension GL_GOOGLE_include_directive : require
#include "shaders/elementwise/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) buffer X { vec4 x[]; };
layout(binding = 1) readonly buffer Other { IN4 other[]; };
layout(binding = 2) readonly buffer Gates { vec4 gates[]; };
layout(push_constant) uniform Push { GatedAddParams p; };

void main() {
    const uint j = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    const uint batch = gl_GlobalInvocationID.z;
    if (4 * j >= padded(p.columns)) return;
    const uint at = row_start(p.x, batch, row) / 4 + j;
    const uint gates_at = row_start(p.gates, batch, row) / 4 + j;
    const vec4 sum = gates[gates_at] * x[at] +
                     gates[gates_at + p.second / 4] * load(other[row_start(p.other, batch, row) / 4 + j]);
    x[at] = before(sum, 4 * j, p.columns);
}
