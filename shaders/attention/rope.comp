#version 460
// types: f32 f16
// Rotary position embedding (rope), in place. The two halves of a head are the coordinates of head / 2
// points; each is turned by an angle of its row:
//   x[i]' = x[i] cos - x[i + head / 2] sin,  x[i + head / 2]' = x[i + head / 2] cos + x[i] sin
// x (rows, heads * padded(head)); table (rows, head) f32, the same for every batch and head: the cosines
// of a row, then its sines. One thread per row, head and four points; where head / 2 is not a multiple of
// four, one thread per row and head.
#extension GL_GOOGLE_include_directive : require
#include "shaders/attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint FOURS = 8;  // of points; 0: they are no fours
const uint THREADS_OF_A_HEAD = FOURS > 0 ? FOURS : 1;

layout(binding = 0) buffer X { IN4 x[]; };
layout(binding = 1) readonly buffer Table { vec4 table[]; };
layout(push_constant) uniform Push { RopeParams p; };

float element_at(uint i) { return load(x[i / 4])[i & 3]; }
float angle_at(uint i) { return table[i / 4][i & 3]; }

void main() {
    const uint head = gl_GlobalInvocationID.x / THREADS_OF_A_HEAD;
    const uint row = gl_GlobalInvocationID.y, batch = gl_GlobalInvocationID.z;
    if (head >= p.heads) return;
    const uint points = p.head / 2;
    const uint at = row_start(p.x, batch, row) + head * padded(p.head);
    const uint cosines = row_start(p.table, 0, row), sines = cosines + points;
    if (FOURS > 0) {
        const uint i = 4 * (gl_GlobalInvocationID.x - head * THREADS_OF_A_HEAD);
        const vec4 first = load(x[(at + i) / 4]), second = load(x[(at + points + i) / 4]);
        const vec4 c = table[(cosines + i) / 4], s = table[(sines + i) / 4];
        x[(at + i) / 4] = store(first * c - second * s);
        x[(at + points + i) / 4] = store(second * c + first * s);
        return;
    }
    // The halves of a head share a four: the whole head is held, then written.
    vec4 turned[32];
    for (uint i = 0; i < p.head; ++i) {
        const bool low = i < points;
        const uint point = low ? i : i - points;
        const float other = element_at(at + (low ? i + points : point));
        turned[i / 4][i & 3] = element_at(at + i) * angle_at(cosines + point) +
                               (low ? -other : other) * angle_at(sines + point);
    }
    for (uint i = p.head; i < padded(p.head); ++i) turned[i / 4][i & 3] = 0.0;
    for (uint i = 0; i < padded(p.head) / 4; ++i) x[at / 4 + i] = store(turned[i]);
}
