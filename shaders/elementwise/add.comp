#version 460
// types: f32 f16 f32_f16 f16_f32, texels
// y = a + b, all (rows, columns). One thread per four columns of a row.
#extension GL_GOOGLE_include_directive : require
#include "shaders/elementwise/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

READ(0, A, IN4, a);
READ(1, B, IN4, b);
WRITE(2, Y, OUT4, y);
layout(push_constant) uniform Push { AddParams p; };

void main() {
    const uint j = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    const uint batch = gl_GlobalInvocationID.z;
    if (4 * j >= padded(p.columns)) return;
    const vec4 sum = load_at(a, row_start(p.a, batch, row) / 4 + j) +
                     load_at(b, row_start(p.b, batch, row) / 4 + j);
    store_at(y, row_start(p.y, batch, row) / 4 + j, before(sum, 4 * j, p.columns));
}
