#version 460
// The points that deformable.comp samples, for display: places (queries, heads * points * 2) as
// x, y in parts of the picture, shares (queries, heads * points), each head's adding up to 1. All f32.
// One thread per query and head.
#extension GL_GOOGLE_include_directive : require
#include "shaders/deformable/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer Offsets { float offsets[]; };
layout(binding = 1) readonly buffer Weights { float weights[]; };
layout(binding = 2) readonly buffer Boxes { vec4 boxes[]; };
layout(binding = 3) writeonly buffer Places { float places[]; };
layout(binding = 4) writeonly buffer Parts { float shares[]; };
layout(push_constant) uniform Push { SamplingPointsParams p; };

#include "shaders/deformable/sampling.glsl"

void main() {
    const uint head = gl_GlobalInvocationID.x, query = gl_GlobalInvocationID.y;
    const uint batch = gl_GlobalInvocationID.z;
    if (head >= p.heads) return;
    const Shares s = shares_of(batch, query, head);
    const vec4 box = boxes[row_start(p.boxes, batch, query) / 4];
    const uint shares_at = row_start(p.shares, batch, query) + head * p.points;
    const uint places_at = row_start(p.places, batch, query) + 2 * head * p.points;
    uint point = 0;
    for (uint level = 0; level < p.levels; ++level)
        for (uint end = point + points_on(level); point < end; ++point) {
            const vec2 place = place_of(batch, query, head, point, level, box);
            places[places_at + 2 * point] = place.x;
            places[places_at + 2 * point + 1] = place.y;
            shares[shares_at + point] = share_of(s, point);
        }
    // Padding is zero.
    if (head + 1 < p.heads) return;
    const uint all = p.heads * p.points;
    for (uint i = all; i < padded(all); ++i) shares[row_start(p.shares, batch, query) + i] = 0.0;
    for (uint i = 2 * all; i < padded(2 * all); ++i)
        places[row_start(p.places, batch, query) + i] = 0.0;
}
