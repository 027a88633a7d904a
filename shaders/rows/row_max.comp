#version 460
// y[i] = the largest of row i of x. x (rows, columns) f32, y (1, rows) f32. A NaN is never the
// largest; a row without any other number gives the smallest float. One thread per row.
#extension GL_GOOGLE_include_directive : require
#include "shaders/rows/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
const uint FOURS = 4;  // loaded at a time; past the last one the last again

layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { RowMaxParams p; };

const float smallest = -3.402823466e38;

void main() {
    const uint row = gl_GlobalInvocationID.x, batch = gl_GlobalInvocationID.z;
    if (row >= padded(p.rows)) return;
    float largest = row < p.rows ? smallest : 0.0;  // padding is zero
    if (row < p.rows) {
        const uint at = row_start(p.x, batch, row) / 4, last = (p.columns - 1) / 4;
        for (uint first = 0; first <= last; first += FOURS) {
            vec4 v[FOURS];
            [[unroll]] for (uint i = 0; i < FOURS; ++i) v[i] = x[at + min(first + i, last)];
            [[unroll]] for (uint i = 0; i < FOURS; ++i) {
                v[i] = before(v[i], 4 * min(first + i, last), p.columns, smallest);
                [[unroll]] for (uint lane = 0; lane < 4; ++lane)
                    if (v[i][lane] > largest) largest = v[i][lane];
            }
        }
    }
    y[row_start(p.y, batch, 0) + row] = largest;
}
