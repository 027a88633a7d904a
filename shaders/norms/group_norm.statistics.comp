#version 460
// types: f32 f16, texels
// mean and 1 / sqrt(variance + eps) over all rows of a batch and the channels of each group.
// x (rows, channels); statistics (groups, 2) f32. One workgroup per group and batch; the mean is taken
// before the squares, because E[x^2] - E[x]^2 cancels where the mean is large.
#extension GL_GOOGLE_include_directive : require
#include "shaders/norms/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

READ(0, X, IN4, x);
WRITE(1, Statistics, vec4, statistics);
layout(push_constant) uniform Push { GroupNormParams p; };

#include "shaders/common/reduce.glsl"

void main() {
    const uint group = gl_WorkGroupID.y, batch = gl_WorkGroupID.z, me = gl_LocalInvocationID.x;
    const uint each = divide(p.channels, p.groups);
    const uint first = group * each, end = first + each;
    const float count = float(p.rows) * float(each);
    float sum = 0.0;
    for (uint row = me; row < p.rows; row += THREADS)
        for (uint j = first / 4; 4 * j < end; ++j) {
            const vec4 v = load_at(x, row_start(p.x, batch, row) / 4 + j);
            const uvec4 channel = 4 * j + uvec4(0, 1, 2, 3);
            const bvec4 mine = bvec4(uvec4(greaterThanEqual(channel, uvec4(first))) *
                                     uvec4(lessThan(channel, uvec4(end))));
            sum += dot(mix(vec4(0.0), v, mine), vec4(1.0));
        }
    const float mean = workgroup_sum(sum) / count;
    float squares = 0.0;
    for (uint row = me; row < p.rows; row += THREADS)
        for (uint j = first / 4; 4 * j < end; ++j) {
            const vec4 d = load_at(x, row_start(p.x, batch, row) / 4 + j) - mean;
            const uvec4 channel = 4 * j + uvec4(0, 1, 2, 3);
            const bvec4 mine = bvec4(uvec4(greaterThanEqual(channel, uvec4(first))) *
                                     uvec4(lessThan(channel, uvec4(end))));
            const vec4 kept = mix(vec4(0.0), d, mine);
            squares += dot(kept, kept);
        }
    const float variance = workgroup_sum(squares) / count;
    if (me != 0) return;
    const uint at = row_start(p.statistics, batch, group) / 4;
    store_f32_at(statistics, at, vec4(mean, 1.0 / sqrt(variance + p.eps), 0.0, 0.0));
    store_f32_at(statistics, at + 1, vec4(0.0));
}
