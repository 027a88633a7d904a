#version 460
// y = exp(x - max x) / sum exp(x - max x), over the columns of each row; y is f32.
// One workgroup per row.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) readonly buffer X { IN x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Push { SoftmaxParams p; };

#include "reduce.glsl"

void main() {
    const uint row = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint x_at = row_start(p.x, batch, row), y_at = row_start(p.y, batch, row);
    const uint me = gl_LocalInvocationID.x;

    float largest = -3.4e38;
    for (uint j = me; j < p.columns; j += THREADS) largest = max(largest, float(x[x_at + j]));
    largest = workgroup_max(largest);

    float total = 0.0;
    for (uint j = me; j < p.columns; j += THREADS) {
        const float e = exp(float(x[x_at + j]) - largest);
        y[y_at + j] = e;
        total += e;
    }
    total = workgroup_sum(total);

    for (uint j = me; j < padded(p.columns); j += THREADS)
        y[y_at + j] = j < p.columns ? y[y_at + j] / total : 0.0;
}
