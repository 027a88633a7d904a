#version 460
// y = keep y + scale x[index]. y and index (rows, columns), x (1, n); an index past the end reads 0, and
// so do the columns that pad a row. One thread per column.
#extension GL_GOOGLE_include_directive : require
#include "shaders/rows/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Index { uint index[]; };
layout(binding = 2) buffer Y { float y[]; };
layout(push_constant) uniform Push { TakeParams p; };

void main() {
    const uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    if (column >= padded(p.columns)) return;
    float value = 0.0;
    const uint at = row_start(p.y, 0, row) + column;
    if (column < p.columns) {
        const uint from = index[row_start(p.index, 0, row) + column];
        if (from < p.n) value = p.scale * x[p.x.offset + from];
        if (p.keep != 0.0) value += p.keep * y[at];
    }
    y[at] = value;
}
