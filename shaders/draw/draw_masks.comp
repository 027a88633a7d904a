#version 460
// Tints the pixels of objects with the colours of their classes. masks (n, rows * columns) f32: logits;
// where their sigmoid, interpolated between the middles of cells, is above one half, a pixel is inside.
// list (2, n) u32: the masks' queries, and their rows of found (rows, 7), the best first; where
// several overlap, the first is drawn. settings as box_plates has them; runs: the labels of the
// classes, with their colours. One thread per pixel.
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0, rgba8) uniform image2D image;
layout(binding = 1) readonly buffer Masks { float masks[]; };
layout(binding = 2) readonly buffer List { uint list[]; };
layout(binding = 3) readonly buffer Found { vec4 found[]; };
layout(binding = 4) readonly buffer Settings { BoxSettings s; uint shown[]; };
layout(binding = 5) readonly buffer Runs { Run runs[]; };
layout(push_constant) uniform Push { DrawMasksParams p; };

const float opacity = 0.45;

float inside(uint mask, uvec2 cell) {
    return 1.0 / (1.0 + exp(-masks[row_start(p.masks, 0, mask) + cell.y * p.columns + cell.x]));
}

void main() {
    const uvec2 pixel = gl_GlobalInvocationID.xy;
    if (pixel.x >= p.width || pixel.y >= p.height) return;
    const uvec2 last = uvec2(p.columns, p.rows) - 1;
    const vec2 at = max((vec2(pixel) + 0.5) * vec2(p.columns, p.rows) / vec2(p.width, p.height) - 0.5,
                        vec2(0.0));
    const uvec2 low = min(uvec2(at), last), high = min(low + 1, last);
    const vec2 t = at - vec2(low);
    for (uint i = 0; i < min(p.count, s.most); ++i) {
        const uint row = list[row_start(p.list, 0, 1) + i];
        const vec2 what = found[row_start(p.found, 0, row) / 4 + 1].xy;  // score, class
        if (!(what.x > s.threshold) || !(what.y >= 0.0 && what.y < float(p.classes))) continue;
        const uint label = uint(what.y);
        if (shown[label] == 0) continue;
        const float value = mix(mix(inside(i, low), inside(i, uvec2(high.x, low.y)), t.x),
                                mix(inside(i, uvec2(low.x, high.y)), inside(i, high), t.x), t.y);
        if (!(value > 0.5)) continue;
        const vec4 colour = unpackUnorm4x8(runs[label].colour);
        const vec4 before_it = imageLoad(image, ivec2(pixel));
        imageStore(image, ivec2(pixel), vec4(mix(before_it.rgb, colour.rgb, opacity), before_it.a));
        return;
    }
}
