#version 460
// types: f32 f16
// Rotary positions, in place: for each head of x and each i < head / 2
//   (x[i], x[i + head / 2]) turned by the angle of this row: (cos, sin) = table[row][i, i + head / 2]
// x (rows, heads * stride), table (rows, head) f32, the same for every batch. One thread per row,
// head and four of i; what is left where head / 2 is not some fours goes one by one.
#extension GL_GOOGLE_include_directive : require
#include "shaders/attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool FOURS = true;  // head / 2 is some of them

layout(binding = 0) buffer X { IN4 x[]; };
layout(binding = 1) readonly buffer Table { float table[]; };
layout(push_constant) uniform Push { RotateParams p; };

float element_at(uint i) { return load(x[i / 4])[i & 3]; }

void main() {
    const uint head = gl_GlobalInvocationID.x;
    const uint row = gl_GlobalInvocationID.y, batch = gl_GlobalInvocationID.z;
    if (head >= p.heads) return;
    const uint pairs = p.head / 2;
    const uint at = row_start(p.x, batch, row) + head * p.stride;
    const uint angle = row_start(p.table, 0, row);
    if (FOURS) {
        for (uint i = 0; i < pairs; i += 4) {
            const vec4 low = load(x[(at + i) / 4]), high = load(x[(at + pairs + i) / 4]);
            vec4 cosine, sine;
            [[unroll]] for (uint lane = 0; lane < 4; ++lane) {
                cosine[lane] = table[angle + i + lane];
                sine[lane] = table[angle + pairs + i + lane];
            }
            x[(at + i) / 4] = store(low * cosine - high * sine);
            x[(at + pairs + i) / 4] = store(high * cosine + low * sine);
        }
        return;
    }
    // Halves of a head that share a four: the whole head is held, then written.
    vec4 turned[32];
    for (uint i = 0; i < p.head; ++i) {
        const bool low = i < pairs;
        const uint pair = low ? i : i - pairs;
        const float other = element_at(at + (low ? i + pairs : pair));
        const float cosine = table[angle + pair], sine = table[angle + pairs + pair];
        turned[i / 4][i & 3] = element_at(at + i) * cosine + (low ? -other : other) * sine;
    }
    for (uint i = p.head; i < padded(p.head); ++i) turned[i / 4][i & 3] = 0.0;
    for (uint i = 0; i < padded(p.head) / 4; ++i) x[at / 4 + i] = store(turned[i]);
}
