#version 460
// The cosine similarity of one row of features and each cell of a map.
//   y[cell] = a . b / (|a| |b|),   a = x[row], b = x[first + cell]
// x (tokens, columns), y (rows, width). One workgroup per cell of y; its padding is 0.
#extension GL_GOOGLE_include_directive : require
#include "shaders/maps/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { CosinesParams p; };

#include "shaders/common/reduce.glsl"

void main() {
    const uint column = gl_WorkGroupID.x, row = gl_WorkGroupID.y;
    const bool inside = column < p.width;
    const uint cell = inside ? row * p.width + column : 0;
    const uint a_at = row_start(p.x, 0, p.row) / 4;
    const uint b_at = row_start(p.x, 0, p.first + cell) / 4;
    vec3 sums = vec3(0.0);
    for (uint j = gl_LocalInvocationID.x; j < padded(p.columns) / 4; j += THREADS) {
        const vec4 a = before(x[a_at + j], 4 * j, p.columns);
        const vec4 b = before(x[b_at + j], 4 * j, p.columns);
        sums += vec3(dot(a, b), dot(a, a), dot(b, b));
    }
    [[unroll]] for (uint i = 0; i < 3; ++i) sums[i] = workgroup_sum(sums[i]);
    if (gl_LocalInvocationID.x != 0) return;
    // Two square roots: the product of the squares could overflow a float.
    const float lengths = sqrt(sums.y) * sqrt(sums.z);
    y[row_start(p.y, 0, row) + column] = inside && lengths > 0.0 ? sums.x / lengths : 0.0;
}
