#version 460
// The queries of the `count` best scores, the best first, equal ones by row. found (rows, 7) f32: the
// score is column 4, the query column 6; list (count) u32. Each row counts those that come before it.
// One thread per row.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer Found { float found[]; };
layout(binding = 1) writeonly buffer List { uint list[]; };
layout(push_constant) uniform Push { BestQueriesParams p; };

// A NaN comes after every number.
float score_of(uint row) {
    const float score = found[row_start(p.found, 0, row) + 4];
    return isnan(score) ? uintBitsToFloat(0xff800000u) : score;
}

void main() {
    const uint row = gl_GlobalInvocationID.x;
    if (row < padded(p.count) - p.count) list[p.list + p.count + row] = 0;  // padding
    if (row >= p.rows) return;
    const float mine = score_of(row);
    uint ahead = 0;
    for (uint other = 0; other < p.rows && ahead < p.count; ++other) {
        const float score = score_of(other);
        ahead += score > mine || (score == mine && other < row) ? 1 : 0;
    }
    if (ahead < p.count) list[p.list + ahead] = uint(found[row_start(p.found, 0, row) + 6]);
}
