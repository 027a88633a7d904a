#version 460
// The coordinates of each cell's features along three directions:
//   maps[k][cell] = (x[first + cell] - mean) . basis[k]
// x (tokens, columns), mean (columns), basis (3, columns), maps (3, rows, width). One workgroup per
// cell; the padding of maps is 0.
#extension GL_GOOGLE_include_directive : require
#include "shaders/maps/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) readonly buffer Mean { vec4 mean[]; };
layout(binding = 2) readonly buffer Basis { vec4 basis[]; };
layout(binding = 3) writeonly buffer Maps { float maps[]; };
layout(push_constant) uniform Push { PrincipalParams p; };

#include "shaders/common/reduce.glsl"

void main() {
    const uint column = gl_WorkGroupID.x, row = gl_WorkGroupID.y;
    const bool inside = column < p.width;
    const uint cell = inside ? row * p.width + column : 0;
    const uint x_at = row_start(p.x, 0, p.first + cell) / 4;
    vec3 sums = vec3(0.0);
    for (uint j = gl_LocalInvocationID.x; j < padded(p.columns) / 4; j += THREADS) {
        const vec4 apart = before(x[x_at + j] - mean[p.mean.offset / 4 + j], 4 * j, p.columns);
        [[unroll]] for (uint k = 0; k < 3; ++k)
            sums[k] += dot(apart, basis[row_start(p.basis, 0, k) / 4 + j]);
    }
    [[unroll]] for (uint k = 0; k < 3; ++k) sums[k] = workgroup_sum(sums[k]);
    if (gl_LocalInvocationID.x != 0) return;
    [[unroll]] for (uint k = 0; k < 3; ++k)
        maps[row_start(p.maps, k, row) + column] = inside ? sums[k] : 0.0;
}
