#version 460
// types: f32 f16
// Multi-scale deformable attention (Zhu et al. 2020, eq. 3):
//   y[query][head] = sum over levels and points of A[point] values_of_level(place[point])[head]
// with A a softmax over a head's points, and a value between four cells interpolated, zero outside of
// the map; where DISCRETE is set, the nearest cell's, the border's outside.
// values (cells of all levels, heads * head), offsets (queries, heads * points * 2), weights (queries,
// heads * points) and boxes (queries, 4), these f32; y (queries, heads * head). One thread per four
// columns of y.
#extension GL_GOOGLE_include_directive : require
#include "shaders/deformable/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LEVELS = 1;
layout(constant_id = 2) const uint DISCRETE = 0;
layout(constant_id = 3) const uint AT_ONCE = 1;  // points whose cells are loaded together

layout(binding = 0) readonly buffer Values { IN4 values[]; };
layout(binding = 1) readonly buffer Offsets { float offsets[]; };
layout(binding = 2) readonly buffer Weights { float weights[]; };
layout(binding = 3) readonly buffer Boxes { vec4 boxes[]; };
layout(binding = 4) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { DeformableParams p; };

#include "shaders/deformable/sampling.glsl"

vec4 cell_values(uint cell, uint j) {
    return load(values[row_start(p.values, gl_GlobalInvocationID.z, cell) / 4 + j]);
}
#include "shaders/deformable/cells.glsl"

void main() {
    const uint j = gl_GlobalInvocationID.x, query = gl_GlobalInvocationID.y;
    const uint batch = gl_GlobalInvocationID.z;
    if (4 * j >= padded(p.columns)) return;
    const uint y_at = row_start(p.y, batch, query) / 4 + j;
    if (4 * j >= p.columns) {
        y[y_at] = store(vec4(0.0));  // padding
        return;
    }
    const uint head = divide(4 * j, p.head);
    const Shares shares = shares_of(batch, query, head);
    const vec4 box = boxes[row_start(p.boxes, batch, query) / 4];

    vec4 sum = vec4(0.0);
    uint first = 0, point = 0;
    [[unroll]] for (uint level = 0; level < LEVELS; ++level) {
        const ivec2 size = ivec2(p.level_sizes[level] & 0xffffu, p.level_sizes[level] >> 16);
        const uint end = point + points_on(level);
        for (; point < end; point += AT_ONCE) {
            [[unroll]] for (uint i = 0; i < AT_ONCE; ++i) {
                const uint at = min(point + i, end - 1);
                const float own = share_of(shares, at), share = point + i < end ? own : 0.0;
                const vec2 place = place_of(batch, query, head, at, level, box) * vec2(size);
                const ivec2 nearest = clamp(ivec2(place + 0.5), ivec2(0), size - 1);
                sum += share * (DISCRETE != 0 ? cell(first, nearest, size, j)
                                              : between_cells(first, place, size, j));
            }
        }
        point = end;
        first += uint(size.x * size.y);
    }
    y[y_at] = store(sum);
}
