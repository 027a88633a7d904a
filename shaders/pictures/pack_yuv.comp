#version 460
// An image as three planes of bytes, as video encoders take them: luma Y and two differences of
// colour, U and V. Each is a sum of red, green and blue with weights: (Y, U, V) = offset + W (R, G, B).
// If `halved` is set, U and V are those of the mean of 2 x 2 pixels (4:2:0), else of each pixel
// (4:4:4). The arithmetic is in integers, so that every device gives the same bytes. Beyond the
// picture's edge its last pixel is repeated, also to the end of a row's last word. One thread per 8
// x 2 pixels: whole words of each plane.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/pictures/params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool halved = true;

layout(binding = 0, rgba8) readonly uniform image2D image;
layout(binding = 1) writeonly buffer Y { uint y_words[]; };
layout(binding = 2) writeonly buffer U { uint u_words[]; };
layout(binding = 3) writeonly buffer V { uint v_words[]; };
layout(push_constant) uniform Push { PackYuvParams p; };

uvec3 pixel(uint x, uint y) {
    const uvec2 at = min(uvec2(x, p.first_row + y), uvec2(p.width, p.height) - 1);
    return uvec3(255.0 * imageLoad(image, ivec2(at)).rgb + 0.5);
}

// The level of a sum of 1 << shift pixels. Negative weights wrap around, and so do their products,
// so that the sum is right again.
uint level(YuvSum sum, uvec3 colour, uint shift) {
    const uint bits = yuv_bits + shift;
    const uint weighed = sum.red * colour.r + sum.green * colour.g + sum.blue * colour.b;
    return (weighed + (sum.offset << bits) + (1u << (bits - 1))) >> bits;
}

void main() {
    const uint left = 8 * gl_GlobalInvocationID.x, top = 2 * gl_GlobalInvocationID.y;
    if (left >= p.width || top >= p.rows) return;
    uvec3 colours[2][8];
    [[unroll]] for (uint y = 0; y < 2; ++y)
        [[unroll]] for (uint x = 0; x < 8; ++x) colours[y][x] = pixel(left + x, top + y);

    [[unroll]] for (uint y = 0; y < 2; ++y) {
        if (top + y >= p.rows) break;
        [[unroll]] for (uint word = 0; word < 2; ++word) {
            const uint column = left / 4 + word;
            if (column >= p.luma_row_words) break;
            uint ys = 0, us = 0, vs = 0;
            [[unroll]] for (uint i = 0; i < 4; ++i) {
                const uvec3 colour = colours[y][4 * word + i];
                ys |= level(p.y, colour, 0) << (8 * i);
                if (!halved) {
                    us |= level(p.u, colour, 0) << (8 * i);
                    vs |= level(p.v, colour, 0) << (8 * i);
                }
            }
            y_words[(top + y) * p.luma_row_words + column] = ys;
            if (!halved) {
                u_words[(top + y) * p.chroma_row_words + column] = us;
                v_words[(top + y) * p.chroma_row_words + column] = vs;
            }
        }
    }
    if (!halved) return;
    uint us = 0, vs = 0;
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uvec3 sum = colours[0][2 * i] + colours[0][2 * i + 1] + colours[1][2 * i] +
                          colours[1][2 * i + 1];
        us |= level(p.u, sum, 2) << (8 * i);
        vs |= level(p.v, sum, 2) << (8 * i);
    }
    const uint at = gl_GlobalInvocationID.y * p.chroma_row_words + gl_GlobalInvocationID.x;
    u_words[at] = us;
    v_words[at] = vs;
}
