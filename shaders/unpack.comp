#version 460
// image[first_row + y][x] = the three bytes at row_bytes * y + 3 x, red first (or blue, where bgr is
// set).
// One thread per pixel.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer Bytes { uint words[]; };
layout(binding = 1, rgba8) writeonly uniform image2D image;
layout(push_constant) uniform Push { UnpackParams p; };

uint byte_at(uint at) { return (words[at / 4] >> (8 * (at & 3))) & 0xffu; }

void main() {
    const uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x >= p.width || at.y >= p.rows) return;
    const uint first = at.y * p.row_bytes + 3 * at.x;
    const vec3 rgb = vec3(byte_at(first), byte_at(first + 1), byte_at(first + 2)) / 255.0;
    imageStore(image, ivec2(at.x, p.first_row + at.y), vec4(p.bgr != 0 ? rgb.bgr : rgb, 1.0));
}
