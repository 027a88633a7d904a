#version 460
// types: f32 f16 f32_f16 f16_f32
// y = activation(a) * b, or activation(a) alone without GATED. a, b and y (rows, columns); a b of one
// row multiplies every row of a: its row stride is 0. One thread per four columns of a row.
#extension GL_GOOGLE_include_directive : require
#include "shaders/elementwise/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint ACTIVATION = 0;
layout(constant_id = 2) const uint GATED = 1;

layout(binding = 0) readonly buffer A { IN4 a[]; };
layout(binding = 1) readonly buffer B { IN4 b[]; };
layout(binding = 2) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { MultiplyParams p; };

#include "shaders/common/activation.glsl"

void main() {
    const uint four = gl_GlobalInvocationID.x;
    const uint row = gl_GlobalInvocationID.y, batch = gl_GlobalInvocationID.z;
    if (4 * four >= padded(p.columns)) return;
    // A slice of a wider row may end with its last column: nothing is read past it.
    const uint from = min(four, (p.columns - 1) / 4);
    vec4 value = activate(load(a[row_start(p.a, batch, row) / 4 + from]));
    if (GATED != 0) value *= load(b[row_start(p.b, batch, row) / 4 + from]);
    y[row_start(p.y, batch, row) / 4 + four] = store(before(value, 4 * four, p.columns));
}
