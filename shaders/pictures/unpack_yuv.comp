#version 460
// types: texels
// image = RGB of the planes Y, U and V:
//   R = luma (Y - black)                         + red_v (V - grey)
//   G = luma (Y - black) + green_u (U - grey) + green_v (V - grey)
//   B = luma (Y - black) + blue_u (U - grey)
// Pixels that share their U and V with a neighbour get theirs by a cubic filter, the one that
// FFmpeg's swscale has for SWS_BICUBIC: w(d) of the distance d in samples of U, with a = -0.6 (see
// Keys, Cubic Convolution Interpolation). Beyond a plane's edge its last samples are repeated. One
// thread per U and V, for the one, two or four pixels that share it.
#extension GL_GOOGLE_include_directive : require
#include "shaders/pictures/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint HALF_WIDTH = 1;  // 1: two pixels in a row share U and V
layout(constant_id = 2) const uint HALF_HEIGHT = 1;
layout(constant_id = 3) const uint LEFT = 1;  // 1: U lies on the first pixel; 0: between both
layout(constant_id = 4) const uint TOP = 0;
layout(constant_id = 5) const uint WIDE = 0;  // 1: a sample has two bytes

READ_WORDS(0, Luma, luma);
READ_WORDS(1, BlueDifference, u);
READ_WORDS(2, RedDifference, v);
layout(binding = 3, rgba8) writeonly uniform image2D image;
layout(push_constant) uniform Push { UnpackYuvParams p; };

// Of the samples 2 before to 2 after, for the second of two pixels. For the first one it is the
// same the other way round, or the sample itself where that is the pixel's own place.
const float BESIDE[5] = {0.0, -0.075, 0.575, 0.575, -0.075};           // half a sample away
const float NEAR[5] = {0.0, -0.084375, 0.871875, 0.240625, -0.028125};  // a quarter

vec2 weights(int tap, uint halved, uint at_first) {
    if (halved == 0) return vec2(1, 0);
    if (at_first == 1) return vec2(tap == 0 ? 1.0 : 0.0, BESIDE[tap + 2]);
    return vec2(NEAR[2 - tap], NEAR[tap + 2]);
}

uint word_of(uint x) { return WIDE == 1 ? x / 2 : x / 4; }
float level(uint word, uint x) {
    return float(WIDE == 1 ? (word >> (16 * (x & 1))) & 0xffffu : (word >> (8 * (x & 3))) & 0xffu);
}

ivec2 upright(ivec2 at) {
    const ivec2 last = ivec2(p.width, p.height) - 1;
    if (p.quarter_turns == 0) return at;
    if (p.quarter_turns == 1) return ivec2(last.y - at.y, at.x);
    if (p.quarter_turns == 2) return last - at;
    return ivec2(at.y, last.x - at.x);
}

void show(uint x, uint y, vec2 chroma) {
    if (x >= p.width || y >= p.height) return;
    const float bright =
        p.luma * (level(word_at(luma, y * p.row_words + word_of(x)), x) - p.black);
    const vec2 c = chroma - p.grey;
    const vec3 rgb = bright + vec3(p.red_v * c.y, p.green_u * c.x + p.green_v * c.y, p.blue_u * c.x);
    imageStore(image, upright(ivec2(x, y)), vec4(clamp(rgb, 0.0, 1.0), 1.0));
}

void main() {
    const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (at.x >= p.chroma_width || at.y >= p.chroma_height) return;
    const ivec2 last = ivec2(p.chroma_width, p.chroma_height) - 1;
    const int across = HALF_WIDTH == 1 ? 2 : 0, down = HALF_HEIGHT == 1 ? 2 : 0;
    // U and V of the upper and the lower pixels: of the left one, then of the right one.
    vec4 upper = vec4(0), lower = vec4(0);
    for (int row = -down; row <= down; ++row) {
        const uint start = uint(clamp(at.y + row, 0, last.y)) * p.chroma_row_words;
        vec4 both = vec4(0);
        for (int column = -across; column <= across; ++column) {
            const uint x = uint(clamp(at.x + column, 0, last.x));
            const vec2 sampled = vec2(level(word_at(u, start + word_of(x)), x),
                                      level(word_at(v, start + word_of(x)), x));
            const vec2 w = weights(column, HALF_WIDTH, LEFT);
            both += vec4(w.x * sampled, w.y * sampled);
        }
        // Clamped as FFmpeg's filter does, so that extreme colours are the same.
        both = min(both, p.most_chroma);
        const vec2 w = weights(row, HALF_HEIGHT, TOP);
        upper += w.x * both;
        lower += w.y * both;
    }
    const uint x = at.x << HALF_WIDTH, y = at.y << HALF_HEIGHT;
    show(x, y, upper.xy);
    if (HALF_WIDTH == 1) show(x + 1, y, upper.zw);
    if (HALF_HEIGHT == 1) show(x, y + 1, lower.xy);
    if (HALF_WIDTH == 1 && HALF_HEIGHT == 1) show(x + 1, y + 1, lower.zw);
}
