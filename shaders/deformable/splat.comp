#version 460
// Maps of where deformable attention looks: each point's share is added to the four cells of its
// level that it was read from, and a level's cell is spread evenly over the cells of the map that
// it covers. maps (heads * rows, height * width) f32, for rows [first_row, first_row + rows) of
// queries and heads from first_head on; places and shares as sampling_points.comp makes them.
// Points outside of the picture are in no map. One thread per cell.
#extension GL_GOOGLE_include_directive : require
#include "shaders/deformable/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer Places { float places[]; };
layout(binding = 1) readonly buffer Shares { float shares[]; };
layout(binding = 2) writeonly buffer Maps { float maps[]; };
layout(push_constant) uniform Push { SplatParams p; };

void main() {
    const uint cell = gl_GlobalInvocationID.x, map = gl_GlobalInvocationID.y;
    const uint batch = gl_GlobalInvocationID.z;
    const uint cells = p.width * p.height;
    if (cell >= padded(cells)) return;
    const uint at = row_start(p.maps, batch, map) + cell;
    if (cell >= cells) {
        maps[at] = 0.0;  // padding
        return;
    }
    const uint head = divide(map, p.rows), query = p.first_row + map - head * p.rows;
    const uint first = (p.first_head + head) * p.points;
    const uint shares_at = row_start(p.shares, batch, query) + first;
    const uint places_at = row_start(p.places, batch, query) + 2 * first;
    const uint row = divide(cell, p.width);
    const vec2 middle = (vec2(cell - row * p.width, row) + 0.5) / vec2(p.width, p.height);

    float sum = 0.0;
    uint point = 0;
    for (uint level = 0; level < p.levels; ++level) {
        const vec2 size = vec2(p.level_sizes[level] & 0xffffu, p.level_sizes[level] >> 16);
        const vec2 mine = floor(middle * size);  // the level's cell that covers this one
        const float part = size.x * size.y / float(cells);
        const uint end = point + ((p.level_points[level / 4] >> (8 * (level % 4))) & 0xffu);
        for (; point < end; ++point) {
            const vec2 place = vec2(places[places_at + 2 * point], places[places_at + 2 * point + 1]);
            const vec2 near = max(1.0 - abs(place * size - 0.5 - mine), 0.0);
            sum += shares[shares_at + point] * near.x * near.y * part;
        }
    }
    maps[at] = sum;
}
