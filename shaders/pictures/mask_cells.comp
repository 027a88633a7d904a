#version 460
// types: f32 f16
// y[b][i] = instead[i] where mask[b][cell of i] is not 0, else x[i]: the patches of a picture, for each
// batch with some cells of the picture replaced. x and instead (1, patches, columns), y (batch,
// patches, columns), mask (batch, 1, cells) f32. A cell is SIDE x SIDE patches, fewer at the right and
// at the bottom; cells are counted row after row.
// One thread per four columns of a patch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/pictures/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer X { IN4 x[]; };
layout(binding = 1) readonly buffer Instead { IN4 instead[]; };
layout(binding = 2) readonly buffer Mask { float mask[]; };
layout(binding = 3) writeonly buffer Y { IN4 y[]; };
layout(push_constant) uniform Push { MaskCellsParams p; };

void main() {
    const uint fours = padded(p.columns) / 4, batch = gl_GlobalInvocationID.z;
    const uint of_piece = divide(gl_GlobalInvocationID.x, fours);
    if (of_piece >= p.rows) return;
    const uint four = gl_GlobalInvocationID.x - of_piece * fours, row = p.first_row + of_piece;
    const uint down = divide(row, p.across), right = row - down * p.across;
    const uint cell = divide(down, p.side) * p.cells_across + divide(right, p.side);
    const uint to = row_start(p.y, batch, row) / 4 + four;
    if (mask[row_start(p.mask, batch, 0) + cell] != 0)
        y[to] = instead[row_start(p.instead, 0, row) / 4 + four];
    else
        y[to] = x[row_start(p.x, 0, row) / 4 + four];
}
