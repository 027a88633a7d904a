#version 460
// types: f32 f16
// Rotary positions, in place: the first half of a head and the second are the two coordinates of HALF
// points, each of which is turned by an angle of its own:
//   x1' = x1 cos - x2 sin,  x2' = x2 cos + x1 sin
// x (rows, heads * 4 HEAD4), of which 2 HALF columns of a head are in use; turns (rows, 2 HALF) f32: the
// cosines of a row, then its sines, the same for every head. One thread per head and row; the third axis
// is the batch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint HEAD4 = 16;  // fours of a head
layout(constant_id = 2) const uint HALF = 32;

layout(binding = 0) buffer X { IN4 x[]; };
layout(binding = 1) readonly buffer Turns { float turns[]; };
layout(push_constant) uniform Push { RotateHeadsParams p; };

void main() {
    const uint head = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    if (head >= p.heads) return;
    const uint at = row_start(p.x, gl_GlobalInvocationID.z, row) / 4 + head * HEAD4;
    const uint turns_at = row_start(p.turns, 0, row);
    float v[4 * HEAD4];
    [[unroll]] for (uint i = 0; i < HEAD4; ++i) {
        const vec4 four = load(x[at + i]);
        [[unroll]] for (uint e = 0; e < 4; ++e) v[4 * i + e] = four[e];
    }
    [[unroll]] for (uint i = 0; i < HALF; ++i) {
        const float c = turns[turns_at + i], s = turns[turns_at + HALF + i];
        const float first = v[i], second = v[HALF + i];
        v[i] = first * c - second * s;
        v[HALF + i] = second * c + first * s;
    }
    [[unroll]] for (uint i = 0; i < HEAD4; ++i)
        x[at + i] = store(vec4(v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]));
}
