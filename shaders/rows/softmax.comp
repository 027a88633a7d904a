#version 460
// types: f32 f16_f32
// y = exp(x - max x) / sum exp(x - max x), over the columns of each row; y is f32.
// One workgroup per row.
#extension GL_GOOGLE_include_directive : require
#include "shaders/rows/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) readonly buffer X { IN4 x[]; };
layout(binding = 1) buffer Y { vec4 y[]; };
layout(push_constant) uniform Push { SoftmaxParams p; };

#include "shaders/common/reduce.glsl"

void main() {
    const uint row = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint x_at = row_start(p.x, batch, row) / 4, y_at = row_start(p.y, batch, row) / 4;
    const uint columns4 = padded(p.columns) / 4;
    const uint me = gl_LocalInvocationID.x;

    const float smallest = -3.4e38;
    vec4 highest = vec4(smallest);
    for (uint j = me; j < columns4; j += THREADS)
        highest = max(highest, before(load(x[x_at + j]), 4 * j, p.columns, smallest));
    const float largest =
        workgroup_max(max(max(highest.x, highest.y), max(highest.z, highest.w)));

    vec4 sum = vec4(0.0);
    for (uint j = me; j < columns4; j += THREADS) {
        const vec4 e = before(exp(load(x[x_at + j]) - largest), 4 * j, p.columns, 0.0);
        y[y_at + j] = e;
        sum += e;
    }
    const float total = workgroup_sum(dot(sum, vec4(1.0)));

    for (uint j = me; j < columns4; j += THREADS) y[y_at + j] /= total;
}
