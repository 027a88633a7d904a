#version 460
// types: f32 f16_f32
// y[i] = table[ids[i]] + positions[i], a row each. table (all_ids, columns), of which bound_ids rows
// from first_id on are bound here; ids (rows) u32; positions (rows, columns) f32, the same in every
// batch; y (rows, columns) f32. An id past the table gives only the position. One thread per four
// columns.
#extension GL_GOOGLE_include_directive : require
#include "shaders/words/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer Ids { uint ids[]; };
layout(binding = 1) readonly buffer Table { IN4 table[]; };
layout(binding = 2) readonly buffer Positions { vec4 positions[]; };
layout(binding = 3) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { EmbeddingParams p; };

void main() {
    const uint j = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    const uint batch = gl_GlobalInvocationID.z;
    if (4 * j >= padded(p.columns)) return;
    const uint id = ids[row_start(p.ids, batch, 0) + row];
    const uint y_at = row_start(p.y, batch, row) / 4 + j;
    const vec4 position = positions[row_start(p.positions, 0, row) / 4 + j];
    if (id >= p.first_id && id < p.first_id + p.bound_ids)
        y[y_at] = store(load(table[row_start(p.table, 0, id - p.first_id) / 4 + j]) + position);
    else if (id >= p.all_ids && p.first_id == 0)
        y[y_at] = store(position);
}
