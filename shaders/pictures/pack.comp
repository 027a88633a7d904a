#version 460
// The three bytes at 4 row_words y + 3 x = image[first_row + y][x], red first (or blue, where bgr is
// set). Alpha is dropped, and a row is padded with zeros. One thread per four pixels, which are
// three words.
#extension GL_GOOGLE_include_directive : require
#include "shaders/pictures/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0, rgba8) readonly uniform image2D image;
layout(binding = 1) writeonly buffer Bytes { uint words[]; };
layout(push_constant) uniform Push { PackParams p; };

// A pixel's three bytes; nothing beyond the row's end.
uint pixel(uint x, uint y) {
    if (x >= p.width) return 0;
    const vec3 rgb = imageLoad(image, ivec2(x, p.first_row + y)).rgb;
    const uvec3 bytes = uvec3(255.0 * (p.bgr != 0 ? rgb.bgr : rgb) + 0.5);
    return bytes.x | bytes.y << 8 | bytes.z << 16;
}

void main() {
    const uint x = 4 * gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    if (x >= p.width || y >= p.rows) return;
    const uint a = pixel(x, y), b = pixel(x + 1, y), c = pixel(x + 2, y), d = pixel(x + 3, y);
    const uint three[3] = uint[](a | b << 24, b >> 8 | c << 16, c >> 16 | d << 8);
    const uint first = 3 * gl_GlobalInvocationID.x;
    for (uint i = 0; i < 3; ++i)
        if (first + i < p.row_words) words[y * p.row_words + first + i] = three[i];
}
