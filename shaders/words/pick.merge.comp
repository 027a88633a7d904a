#version 460
// The argmax of a row, from what pick.part found in its slices: the column; its log-softmax,
// x[column] - log(sum of exp(x)); and the log-sum-exp. parts (slices, 3) u32, columns (1) u32,
// about (3, 1) f32 in each batch, a batch a row: the two logarithms, and the column once more, for
// a reader of `about` alone. One workgroup per row.
#extension GL_GOOGLE_include_directive : require
#include "shaders/words/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) readonly buffer Parts { uint parts[]; };
layout(binding = 1) writeonly buffer Columns { uint columns[]; };
layout(binding = 2) writeonly buffer About { float about[]; };
layout(push_constant) uniform Push { PickMergeParams p; };

#include "shaders/common/reduce.glsl"
#include "shaders/common/best.glsl"

void main() {
    const uint row = gl_WorkGroupID.y, me = gl_LocalInvocationID.x;
    Best best = nothing_found;
    for (uint i = me; i < p.slices; i += THREADS) {
        const uint at = row_start(p.parts, row, i);
        best = better(best, Best(uintBitsToFloat(parts[at]), parts[at + 1]));
    }
    best = workgroup_best(best);
    float mine = 0.0;
    for (uint i = me; i < p.slices; i += THREADS) {
        const uint at = row_start(p.parts, row, i);
        mine += uintBitsToFloat(parts[at + 2]) * exp(uintBitsToFloat(parts[at]) - best.value);
    }
    const float total = workgroup_sum(mine);
    // A row of NaN has no argmax; its column is none.
    for (uint i = me; i < 8; i += THREADS) {
        columns[row_start(p.columns, row, 0) + i] = i == 0 ? best.column : 0;
        about[row_start(p.about, row, 0) + i] = i == 0 ? -log(total) : 0.0;
        about[row_start(p.about, row, 1) + i] = i == 0 ? best.value + log(total) : 0.0;
        about[row_start(p.about, row, 2) + i] = i == 0 ? float(best.column) : 0.0;
    }
}
