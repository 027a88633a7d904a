#version 460
// The range of a map between two quantiles, as a moving average:
//   ranges[map] = keep ranges[map] + (1 - keep) (s[r], s[n - 1 - r]),   r = round(part (n - 1))
// where s are the map's n cells in order. maps (maps, rows, columns), ranges (maps, 2). A cell that
// is not a number counts as 0. One workgroup per map and end: floats have the same order as their
// bits, once those of negative ones are inverted, so 32 steps find one, from the highest bit on.
#extension GL_GOOGLE_include_directive : require
#include "shaders/maps/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) readonly buffer Maps { float maps[]; };
layout(binding = 1) buffer Ranges { float ranges[]; };
layout(push_constant) uniform Push { QuantilesParams p; };

#include "shaders/common/reduce.glsl"

const uint sign_bit = 0x80000000u;

uint key_of(uint map, uint i) {
    const uint row = divide(i, p.columns);
    const float v = maps[row_start(p.maps, map, row) + i - row * p.columns];
    const uint bits = floatBitsToUint(abs(v) <= 3.4e38 ? v : 0.0);
    return (bits & sign_bit) != 0 ? ~bits : bits | sign_bit;
}
float value_of(uint key) { return uintBitsToFloat((key & sign_bit) != 0 ? key & ~sign_bit : ~key); }

void main() {
    const uint end = gl_WorkGroupID.y, map = gl_WorkGroupID.z;
    const uint n = p.rows * p.columns;
    const uint rank = uint(p.part * float(n - 1) + 0.5);
    // How many cells are at least as large as the wanted one.
    const float wanted = float(end == 0 ? n - rank : rank + 1);
    uint key = 0;
    for (uint bit = sign_bit; bit != 0; bit >>= 1) {
        float count = 0.0;
        for (uint i = gl_LocalInvocationID.x; i < n; i += THREADS)
            count += key_of(map, i) >= (key | bit) ? 1.0 : 0.0;
        if (workgroup_sum(count) >= wanted) key |= bit;
    }
    if (gl_LocalInvocationID.x != 0) return;
    const uint at = row_start(p.ranges, 0, map) + end;
    // At first the old range may be anything; a NaN is not kept.
    const float old = ranges[at], now = value_of(key);
    ranges[at] = p.keep > 0.0 && abs(old) <= 3.4e38 ? mix(now, old, p.keep) : now;
}
