#version 460
// The scale of heat maps. maps (maps, rows, columns); levels (maps, 4):
//   smallest, largest, cut, sum over the cells,  where cut is the largest value for which
//   the sum over the cells that are at least as large is at least mass * sum.
// A cell that is negative or not a number counts as zero. One workgroup per map. Floats that are
// not negative have the same order as their bits, so 31 steps find the cut, from the highest bit
// on.
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) readonly buffer Maps { float maps[]; };
layout(binding = 1) readonly buffer Settings { HeatSettings s; };
layout(binding = 2) writeonly buffer Levels { float levels[]; };
layout(push_constant) uniform Push { HeatLevelsParams p; };

#include "shaders/common/reduce.glsl"

float cell(uint map, uint i) {
    const uint row = divide(i, p.columns);
    const float v = maps[row_start(p.maps, map, row) + i - row * p.columns];
    return v > 0.0 ? v : 0.0;
}

// Over the cells whose bits are at least `least`.
float sum_from(uint map, uint least) {
    float sum = 0.0;
    for (uint i = gl_LocalInvocationID.x; i < p.rows * p.columns; i += THREADS) {
        const float v = cell(map, i);
        sum += floatBitsToUint(v) >= least ? v : 0.0;
    }
    return workgroup_sum(sum);
}

void main() {
    const uint map = gl_WorkGroupID.z, me = gl_LocalInvocationID.x;
    float low = 3.4e38, high = 0.0;
    for (uint i = me; i < p.rows * p.columns; i += THREADS) {
        low = min(low, cell(map, i));
        high = max(high, cell(map, i));
    }
    const float smallest = -workgroup_max(-low), largest = workgroup_max(high);

    const float all = sum_from(map, 0), wanted = s.mass * all;
    uint cut = 0;
    for (uint bit = 1u << 30; bit != 0; bit >>= 1)
        if (sum_from(map, cut | bit) >= wanted) cut |= bit;
    cut = min(cut, 0x7f800000u);  // infinity: no cell passes

    if (me != 0) return;
    const uint at = row_start(p.levels, 0, map);
    levels[at] = smallest;
    levels[at + 1] = largest;
    levels[at + 2] = uintBitsToFloat(cut);
    levels[at + 3] = all;
    for (uint i = 4; i < 8; ++i) levels[at + i] = 0.0;
}
