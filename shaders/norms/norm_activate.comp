#version 460
// types: f32 f16, texels
// y = activation(LN(x)), over the columns of each row: see layer_norm.comp. One workgroup per row.
// Where AGAIN is set, another norm of the elements in registers follows, which requires ROUNDS.
#extension GL_GOOGLE_include_directive : require
#include "shaders/norms/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint ROUNDS = 0;
layout(constant_id = 2) const uint ACTIVATION = 0;
layout(constant_id = 3) const bool AGAIN = false;

READ(0, X, IN4, x);
READ(1, Weight, vec4, weight);
READ(2, Bias, vec4, bias);
READ(3, NextWeight, vec4, next_weight);
READ(4, NextBias, vec4, next_bias);
WRITE(5, Y, OUT4, y);
layout(push_constant) uniform Push { NormActivateParams p; };

#include "shaders/common/activation.glsl"
#include "shaders/common/reduce.glsl"
#include "shaders/norms/row_norm.glsl"

void main() {
    const uint row = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint y_at = row_start(p.y, batch, row) / 4;
    const uint fours = padded(p.columns) / 4;
    vec4 next_gain[HELD], next_shift[HELD];
    if (AGAIN)
        [[unroll]] for (uint i = 0; i < ROUNDS; ++i) {
            const uint j = min(gl_LocalInvocationID.x + i * THREADS, (p.columns + 3) / 4 - 1);
            next_gain[i] = load_at(next_weight, j);
            next_shift[i] = load_at(next_bias, j);
        }
    RowNorm norm = norm_of_row(row_start(p.x, batch, row) / 4, p.columns, p.eps);
    if (AGAIN) {
        ROUNDS_OVER(fours, i, j) {
            held_x[i] = before(activate(normal_at(norm, i, j)), 4 * j, p.columns);
            held_weight[i] = next_gain[i];
            held_bias[i] = next_shift[i];
        }
        norm = measured(norm, p.next_eps);
    }
    ROUNDS_OVER(fours, i, j) {
        const vec4 normal = normal_at(norm, i, j);
        store_at(y, y_at + j, before(AGAIN ? normal : activate(normal), 4 * j, p.columns));
    }
}
