#version 460
// types: f32 f16_f32
// The relative position terms of the scores of a query: a number for each row of the keys' map, then for
// each of its columns.
//   y[q][h * (key_height + key_width) + i] = q_h . down[(row of q) * key_height + i], i < key_height
//   y[q][.. + key_height + j]              = q_h . across[(column of q) * key_width + j]
// q (first + height * width, heads * 4 HEAD4), down and across (.., size) f32, y (height * width, heads *
// (key_height + key_width)) f32. One thread per number; the second axis is the query, the third the batch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/grid_attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint HEAD4 = 24;

layout(binding = 0) readonly buffer Q { IN4 q[]; };
layout(binding = 1) readonly buffer Down { vec4 down[]; };
layout(binding = 2) readonly buffer Across { vec4 across[]; };
layout(binding = 3) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { RelativeScoresParams p; };

void main() {
    const uint column = gl_GlobalInvocationID.x, query = gl_GlobalInvocationID.y;
    const uint batch = gl_GlobalInvocationID.z;
    const uint each = p.key_height + p.key_width, columns = p.heads * each;
    if (column >= padded(columns)) return;
    const uint head = min(divide(column, each), p.heads - 1), i = column - head * each;
    const uint row = divide(query, p.width);
    const bool by_row = i < p.key_height;
    const uint table_row = by_row ? row * p.key_height + i
                                  : (query - row * p.width) * p.key_width + i - p.key_height;
    const uint table_at = table_row * p.table_stride / 4;
    const uint q_at = row_start(p.q, batch, p.first + query) / 4 + head * HEAD4;
    vec4 sum = vec4(0.0);
    if (column < columns)
        for (uint d = 0; d < HEAD4; ++d)
            sum += load(q[q_at + d]) * (by_row ? down[table_at + d] : across[table_at + d]);
    y[row_start(p.y, batch, query) + column] = dot(sum, vec4(1.0));
}
