#version 460
// Multi-scale deformable attention (Zhu et al. 2020, eq. 3):
//   y[query][head] = sum over levels and points of A[point] values_of_level(place[point])[head]
// with A a softmax over a head's points, and a value between four cells interpolated, zero outside of
// the map; where DISCRETE is set, the nearest cell's, the border's outside.
// values (cells of all levels, heads * head), offsets (queries, heads * points * 2), weights (queries,
// heads * points) and boxes (queries, 4), these f32; y (queries, heads * head). One thread per four
// columns of y.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LEVELS = 1;
layout(constant_id = 2) const uint DISCRETE = 0;

layout(binding = 0) readonly buffer Values { IN4 values[]; };
layout(binding = 1) readonly buffer Offsets { float offsets[]; };
layout(binding = 2) readonly buffer Weights { float weights[]; };
layout(binding = 3) readonly buffer Boxes { vec4 boxes[]; };
layout(binding = 4) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { DeformableParams p; };

#include "sampling.glsl"

vec4 cell(uint batch, uint first, ivec2 at, ivec2 size, uint j) {
    if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, size))) return vec4(0.0);
    return load(values[row_start(p.values, batch, first + uint(at.y * size.x + at.x)) / 4 + j]);
}

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
        for (uint end = point + points_on(level); point < end; ++point) {
            const vec2 place = place_of(batch, query, head, point, level, box) * vec2(size);
            vec4 value;
            if (DISCRETE != 0) {
                value = cell(batch, first, clamp(ivec2(place + 0.5), ivec2(0), size - 1), size, j);
            } else {
                // Cell i is centred on i + 1/2. Far away there is nothing, and no number too large.
                const vec2 at = clamp(place - 0.5, vec2(-2.0), vec2(size) + 1.0);
                const ivec2 corner = ivec2(floor(at));
                const vec2 t = at - vec2(corner);
                value = mix(mix(cell(batch, first, corner, size, j),
                                cell(batch, first, corner + ivec2(1, 0), size, j), t.x),
                            mix(cell(batch, first, corner + ivec2(0, 1), size, j),
                                cell(batch, first, corner + ivec2(1, 1), size, j), t.x), t.y);
            }
            sum += share_of(shares, point) * value;
        }
        first += uint(size.x * size.y);
    }
    y[y_at] = store(sum);
}
