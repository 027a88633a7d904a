#version 460
// y[j] = keep y[j] + scale sum over h, r of weights[first_row + r] map[h * rows + r][j]
// map (heads * rows, columns), weights (n), y (columns), all f32: a step of attention rollout.
// One thread per four columns.
#extension GL_GOOGLE_include_directive : require
#include "shaders/rows/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer Map { vec4 map[]; };
layout(binding = 1) readonly buffer Weights { float weights[]; };
layout(binding = 2) buffer Y { vec4 y[]; };
layout(push_constant) uniform Push { RowSumParams p; };

void main() {
    const uint j = gl_GlobalInvocationID.x;
    if (4 * j >= padded(p.columns)) return;
    vec4 sum = vec4(0.0);
    for (uint h = 0; h < p.heads; ++h)
        for (uint r = 0; r < p.rows; ++r)
            sum += weights[p.weights.offset + p.first_row + r] *
                   map[row_start(p.map, 0, h * p.rows + r) / 4 + j];
    const uint at = p.y.offset / 4 + j;
    // With keep 0, y may hold anything, and 0 times NaN would be NaN.
    const vec4 kept = p.keep != 0.0 ? p.keep * y[at] : vec4(0.0);
    y[at] = before(kept + p.scale * sum, 4 * j, p.columns);
}
