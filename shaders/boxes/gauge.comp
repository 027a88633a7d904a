#version 460
// y = (y + gauge[0]) * (elu(gauge[1]) + 1), in place: y (rows, columns) and gauge (rows, 2), all f32.
// OWL-ViT shifts and scales the logits of a patch by two numbers of that patch. One thread per four columns.
#extension GL_GOOGLE_include_directive : require
#include "shaders/boxes/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) buffer Y { vec4 y[]; };
layout(binding = 1) readonly buffer Gauge { vec4 gauge[]; };
layout(push_constant) uniform Push { GaugeParams p; };

void main() {
    const uint four = gl_GlobalInvocationID.x;
    const uint row = gl_GlobalInvocationID.y, batch = gl_GlobalInvocationID.z;
    if (4 * four >= padded(p.columns)) return;
    const vec2 how = gauge[row_start(p.gauge, batch, row) / 4].xy;
    const float scale = how.y > 0.0 ? how.y + 1.0 : exp(how.y);
    const uint at = row_start(p.y, batch, row) / 4 + four;
    y[at] = before((y[at] + how.x) * scale, 4 * four, p.columns);
}
