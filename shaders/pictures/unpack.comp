#version 460
// types: texels
// image[first_row + y][x] = the three bytes at row_bytes * y + 3 x, red first (or blue, where bgr is
// set).
// One thread per four pixels, whose twelve bytes lie in three words, or in four.
#extension GL_GOOGLE_include_directive : require
#include "shaders/pictures/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

READ_WORDS(0, Bytes, words);
layout(binding = 1, rgba8) writeonly uniform image2D image;
layout(push_constant) uniform Push { UnpackParams p; };

void main() {
    const uint x = 4 * gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    if (x >= p.width || row >= p.rows) return;
    const uint first = row * p.row_bytes + 3 * x;
    const uint last_word = ((p.rows - 1) * p.row_bytes + 3 * p.width - 1) / 4;
    uint bytes[16];
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uint word = word_at(words, min(first / 4 + i, last_word));
        [[unroll]] for (uint b = 0; b < 4; ++b) bytes[4 * i + b] = (word >> (8 * b)) & 0xffu;
    }
    const uint skipped = first & 3;
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        if (x + i >= p.width) break;
        vec3 rgb;
        [[unroll]] for (uint c = 0; c < 3; ++c) {
            const uint at = 3 * i + c;
            const uint level = skipped == 0   ? bytes[at]
                               : skipped == 1 ? bytes[at + 1]
                               : skipped == 2 ? bytes[at + 2]
                                              : bytes[at + 3];
            rgb[c] = float(level) / 255.0;
        }
        imageStore(image, ivec2(x + i, p.first_row + row), vec4(p.bgr != 0 ? rgb.bgr : rgb, 1.0));
    }
}
