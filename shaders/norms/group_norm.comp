#version 460
// types: f32 f16, texels
// y = activation((x - mean) / sqrt(variance + eps) * weight + bias), mean and variance those of a
// channel's group: see group_norm.statistics.comp. x, y (rows, channels); weight, bias (channels) and
// statistics (groups, 2) f32. One thread per four channels.
#extension GL_GOOGLE_include_directive : require
#include "shaders/norms/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint ACTIVATION = 0;

READ(0, X, IN4, x);
READ(1, Weight, vec4, weight);
READ(2, Bias, vec4, bias);
READ(3, Statistics, vec4, statistics);
WRITE(4, Y, OUT4, y);
layout(push_constant) uniform Push { GroupNormParams p; };

#include "shaders/common/activation.glsl"

void main() {
    const uint j = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    const uint batch = gl_GlobalInvocationID.z;
    if (4 * j >= padded(p.channels)) return;
    const uint each = divide(p.channels, p.groups);
    vec4 mean, scale;
    [[unroll]] for (uint lane = 0; lane < 4; ++lane) {
        const uint group = divide(min(4 * j + lane, p.channels - 1), each);
        const vec4 of_group = load_at(statistics, row_start(p.statistics, batch, group) / 4);
        mean[lane] = of_group.x;
        scale[lane] = of_group.y;
    }
    const vec4 v = (load_at(x, row_start(p.x, batch, row) / 4 + j) - mean) * scale;
    const vec4 normal = v * load_at(weight, j) + load_at(bias, j);
    store_at(y, row_start(p.y, batch, row) / 4 + j, before(activate(normal), 4 * j, p.channels));
}
