#version 460
// A step of orthogonal iteration: turns three directions towards the principal components.
//   turned[k] = sum over cells of maps[k][cell] (x[first + cell] - mean)
// x (tokens, columns), mean (columns), maps (3, rows, width) as principal.project leaves them,
// turned (3, columns). FRESH: there are no directions yet; arbitrary mixtures of the cells are a
// start. One workgroup per four columns, whose threads share the cells.
#extension GL_GOOGLE_include_directive : require
#include "shaders/maps/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const bool FRESH = false;

layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) readonly buffer Mean { vec4 mean[]; };
layout(binding = 2) readonly buffer Maps { float maps[]; };
layout(binding = 3) writeonly buffer Turned { vec4 turned[]; };
layout(push_constant) uniform Push { PrincipalParams p; };

#include "shaders/common/reduce.glsl"

float weight_of(uint k, uint row, uint column) {
    if (FRESH) return cos(float(row) * (1.7 + float(k)) + float(column) * (2.3 - 0.6 * float(k)));
    return maps[row_start(p.maps, k, row) + column];
}

void main() {
    const uint four = gl_WorkGroupID.y;
    const vec4 middle = mean[p.mean.offset / 4 + four];
    vec4 sums[3] = vec4[3](vec4(0.0), vec4(0.0), vec4(0.0));
    for (uint cell = gl_LocalInvocationID.x; cell < p.rows * p.width; cell += THREADS) {
        const uint row = divide(cell, p.width), column = cell - row * p.width;
        const vec4 apart = x[row_start(p.x, 0, p.first + cell) / 4 + four] - middle;
        [[unroll]] for (uint k = 0; k < 3; ++k) sums[k] += weight_of(k, row, column) * apart;
    }
    [[unroll]] for (uint k = 0; k < 3; ++k) {
        [[unroll]] for (uint i = 0; i < 4; ++i) sums[k][i] = workgroup_sum(sums[k][i]);
        if (gl_LocalInvocationID.x == 0)
            turned[row_start(p.basis, 0, k) / 4 + four] = before(sums[k], 4 * four, p.columns);
    }
}
