#version 460
// The queries with the `count` best scores and their rows, best first, equal ones by row. found
// (rows, 7) f32: the score is column 4, the query column 6; list (2, count) u32. Of several rows of
// one query the best counts, the others come last. The rank of a row is the number of rows before
// it. One thread per row.
#extension GL_GOOGLE_include_directive : require
#include "shaders/boxes/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer Found { float found[]; };
layout(binding = 1) writeonly buffer List { uint list[]; };
layout(push_constant) uniform Push { BestQueriesParams p; };

// A NaN comes after every number.
float score_of(uint row) {
    const float score = found[row_start(p.found, 0, row) + 4];
    return isnan(score) ? uintBitsToFloat(0xff800000u) : score;
}

bool comes_first(uint a, uint b) {
    return score_of(a) > score_of(b) || (score_of(a) == score_of(b) && a < b);
}
float query_of(uint row) { return found[row_start(p.found, 0, row) + 6]; }
// Whether a better row has the same query.
bool is_again(uint row) {
    for (uint other = 0; other < p.rows; ++other)
        if (query_of(other) == query_of(row) && comes_first(other, row)) return true;
    return false;
}

void main() {
    const uint row = gl_GlobalInvocationID.x;
    const uint queries_at = row_start(p.list, 0, 0), rows_at = row_start(p.list, 0, 1);
    if (row < padded(p.count) - p.count) {  // padding
        list[queries_at + p.count + row] = 0;
        list[rows_at + p.count + row] = 0;
    }
    if (row >= p.rows) return;
    // A repeated query comes after all others, so that every place of the list is filled.
    const bool again = is_again(row);
    uint ahead = 0;
    for (uint other = 0; other < p.rows && ahead < p.count; ++other) {
        const bool other_again = is_again(other);
        ahead += (other_again == again ? comes_first(other, row) : again) ? 1 : 0;
    }
    if (ahead < p.count) {
        list[queries_at + ahead] = uint(query_of(row));
        list[rows_at + ahead] = row;
    }
}
