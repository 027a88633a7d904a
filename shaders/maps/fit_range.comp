#version 460
// Brings maps into their ranges, in place.
//   STRETCH: v = clamp((v - low) / (high - low), 0, 1)
//   else:    v = min(v, factor high), if high is above 0
// maps (maps, rows, columns), ranges (maps, 2) as quantiles makes them. One thread per cell.
#extension GL_GOOGLE_include_directive : require
#include "shaders/maps/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool STRETCH = true;

layout(binding = 0) buffer Maps { float maps[]; };
layout(binding = 1) readonly buffer Ranges { float ranges[]; };
layout(push_constant) uniform Push { FitRangeParams p; };

void main() {
    const uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    const uint map = gl_GlobalInvocationID.z;
    if (column >= p.columns) return;
    const uint at = row_start(p.ranges, 0, map);
    const float low = ranges[at], high = ranges[at + 1];
    const uint here = row_start(p.maps, map, row) + column;
    const float v = maps[here];
    if (STRETCH)
        maps[here] = clamp((v - low) / max(high - low, 1e-30), 0.0, 1.0);
    else if (high > 0.0)
        maps[here] = min(v, p.factor * high);
}
