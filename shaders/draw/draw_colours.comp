#version 460
// Lays three maps over an image as red, green and blue:
//   image = mix(image, bilinear between the middles of cells, opacity)
// maps (3, rows, columns), from 0 to 1. Pixels beside the map stay as they are; cells that end less
// than half a cell before the image's edge are extended to it, as in draw_heat.comp. One thread per
// pixel.
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0, rgba8) uniform image2D image;
layout(binding = 1) readonly buffer Maps { float maps[]; };
layout(binding = 2) readonly buffer Settings { HeatSettings s; };
layout(push_constant) uniform Push { DrawColoursParams p; };

vec3 colour_of(uint row, uint column) {
    return vec3(maps[row_start(p.maps, 0, row) + column], maps[row_start(p.maps, 1, row) + column],
                maps[row_start(p.maps, 2, row) + column]);
}

float end_of(float begin, float cell, uint cells, uint pixels) {
    const float end = begin + cell * float(cells), rest = float(pixels) - end;
    return begin <= 0.0 && rest < 0.5 * cell ? max(end, float(pixels)) : end;
}

void main() {
    const uvec2 pixel = gl_GlobalInvocationID.xy;
    if (pixel.x >= p.width || pixel.y >= p.height || !(s.opacity > 0.0)) return;
    const vec2 middle = vec2(pixel) + 0.5, begin = vec2(p.left, p.top);
    const vec2 end = vec2(end_of(p.left, p.cell_width, p.columns, p.width),
                          end_of(p.top, p.cell_height, p.rows, p.height));
    if (any(lessThan(middle, begin)) || any(greaterThan(middle, end))) return;
    const uvec2 last = uvec2(p.columns, p.rows) - 1;
    const vec2 at = clamp((middle - begin) / vec2(p.cell_width, p.cell_height) - 0.5, vec2(0.0),
                          vec2(last));
    const uvec2 low = uvec2(at), high = min(low + 1, last);
    const vec2 t = at - vec2(low);
    const vec3 colour = mix(mix(colour_of(low.y, low.x), colour_of(low.y, high.x), t.x),
                            mix(colour_of(high.y, low.x), colour_of(high.y, high.x), t.x), t.y);
    const vec4 under = imageLoad(image, ivec2(pixel));
    imageStore(image, ivec2(pixel), vec4(mix(under.rgb, colour, s.opacity), under.a));
}
