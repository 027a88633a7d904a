#version 460
// types: f32 f32_f16
// c = sigmoid(f) before + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c), y = h.
// gates (rows, 4 * gate): i, f, g and o side by side; before, c and h (rows, columns), all f32; y
// is h in the type that products read. One thread per four columns.
#extension GL_GOOGLE_include_directive : require
#include "shaders/words/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer Gates { vec4 gates[]; };
layout(binding = 1) readonly buffer Before { vec4 c_before[]; };
layout(binding = 2) writeonly buffer C { vec4 c[]; };
layout(binding = 3) writeonly buffer H { vec4 h[]; };
layout(binding = 4) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { LstmCellParams p; };

vec4 sigmoid(vec4 x) { return 1.0 / (1.0 + exp(-clamp(x, -80.0, 80.0))); }
vec4 bent(vec4 x) { return tanh(clamp(x, -15.0, 15.0)); }

void main() {
    const uint column = 4 * gl_GlobalInvocationID.x;
    const uint row = gl_GlobalInvocationID.y, batch = gl_GlobalInvocationID.z;
    if (column >= padded(p.columns)) return;
    const uint at = row_start(p.gates, batch, row) + column;
    const vec4 i = sigmoid(gates[at / 4]), f = sigmoid(gates[(at + p.gate) / 4]);
    const vec4 g = bent(gates[(at + 2 * p.gate) / 4]), o = sigmoid(gates[(at + 3 * p.gate) / 4]);
    const vec4 old = c_before[(row_start(p.before, batch, row) + column) / 4];
    const vec4 cell = before(f * old + i * g, column, p.columns);
    const vec4 out_h = before(o * bent(cell), column, p.columns);
    c[(row_start(p.c, batch, row) + column) / 4] = cell;
    h[(row_start(p.h, batch, row) + column) / 4] = out_h;
    y[(row_start(p.y, batch, row) + column) / 4] = store(out_h);
}
