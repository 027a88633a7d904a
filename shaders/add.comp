#version 460
// y = a + b, all (rows, columns). One thread per four columns of a row.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer A { IN4 a[]; };
layout(binding = 1) readonly buffer B { IN4 b[]; };
layout(binding = 2) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { AddParams p; };

void main() {
    const uint j = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    const uint batch = gl_GlobalInvocationID.z;
    if (4 * j >= padded(p.columns)) return;
    const vec4 sum = load(a[row_start(p.a, batch, row) / 4 + j]) +
                     load(b[row_start(p.b, batch, row) / 4 + j]);
    y[row_start(p.y, batch, row) / 4 + j] = store(before(sum, 4 * j, p.columns));
}
