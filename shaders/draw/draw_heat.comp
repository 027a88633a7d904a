#version 460
// Lays maps of attention over a picture as colours:
//   heat = bilinear between the middles of cells of (v >= cut ? (v - low) / (high - low) : 0)
//   image = mix(picture, colours[heat].rgb, colours[heat].a opacity)
// maps (maps, rows, columns), levels as heat_levels makes them, colours: 256 words. Map i is drawn
// in tile i, which has the size of the picture. IN_PLACE: the picture is the image, and pixels
// without heat are not written. One workgroup per stretch of a row of pixels from the middle of one
// cell to the middle of the next, along which heat changes evenly.
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const bool IN_PLACE = true;

layout(binding = 0, rgba8) writeonly uniform image2D image;
layout(binding = 1, rgba8) readonly uniform image2D picture;
layout(binding = 2) readonly buffer Maps { float maps[]; };
layout(binding = 3) readonly buffer Levels { float levels[]; };
layout(binding = 4) readonly buffer Settings { HeatSettings s; };
layout(binding = 5) readonly buffer Colours { uint colours[]; };
layout(push_constant) uniform Push { DrawHeatParams p; };

float heat_of(uint map, uint row, uint column) {
    const uint at = row_start(p.levels, 0, map);
    const float low = s.scale == heat_scale_min_max ? levels[at]
                      : s.scale == heat_scale_max   ? 0.0
                                                    : s.lowest;
    const float high = s.scale == heat_scale_fixed ? s.highest : levels[at + 1];
    const float v = maps[row_start(p.maps, map, row) + column];
    // A comparison with NaN is false, so NaN becomes 0.
    return v >= levels[at + 2] ? clamp((v - low) / max(high - low, 1e-30), 0.0, 1.0) : 0.0;
}

// Where a stretch begins: the first and the last reach to the picture's edges.
float middle_before(uint stretch) { return p.left + (float(stretch) - 0.5) * p.cell_width; }
uint begin_of(uint stretch) {
    if (stretch == 0) return 0;
    if (stretch > p.columns) return p.picture_width;
    return uint(clamp(ceil(middle_before(stretch) - 0.5), 0.0, float(p.picture_width)));
}

// Where the map ends. Cells of convolutions are centred on the first pixels of their strides, so
// that the last one may end up to half a cell before the picture's edge: it is extended to the
// edge. Pixels around a crop stay as they are, since the model has not seen them.
float end_of(float begin, float cell, uint cells, int picture) {
    const float end = begin + cell * float(cells), rest = float(picture) - end;
    return begin <= 0.0 && rest < 0.5 * cell ? max(end, float(picture)) : end;
}

void main() {
    const uint stretch = gl_WorkGroupID.x, y = gl_WorkGroupID.y, map = gl_WorkGroupID.z;
    if (!(s.opacity > 0.0)) return;

    const float down = (float(y) + 0.5 - p.top) / p.cell_height;
    const float row = clamp(down - 0.5, 0.0, float(p.rows - 1));
    const uint above = uint(row), below = min(above + 1, p.rows - 1);
    const uint left = max(stretch, 1) - 1, right = min(stretch, p.columns - 1);
    const float part = row - float(above);
    const ivec2 size = imageSize(picture);
    const float bottom = end_of(p.top, p.cell_height, p.rows, size.y);
    const float right_end = end_of(p.left, p.cell_width, p.columns, size.x);
    const bool outside = down < 0.0 || float(y) + 0.5 > bottom;
    const float from = mix(heat_of(map, above, left), heat_of(map, below, left), part);
    const float to = mix(heat_of(map, above, right), heat_of(map, below, right), part);
    if (IN_PLACE && (outside || from + to == 0.0)) return;

    const uint tile_row = divide(map, p.tiles_across);
    const ivec2 tile = ivec2((map - tile_row * p.tiles_across) * p.pitch_x,
                             p.tiles_top + tile_row * p.pitch_y);
    const uint end = begin_of(stretch + 1);
    for (uint x = begin_of(stretch) + gl_LocalInvocationID.x; x < end; x += THREADS) {
        const float middle = float(x) + 0.5;
        const float along = (middle - middle_before(stretch)) / p.cell_width;
        const float heat = mix(from, to, clamp(along, 0.0, 1.0));
        const vec4 colour = unpackUnorm4x8(colours[uint(255.0 * heat + 0.5)]);
        const bool beside = outside || middle < p.left || middle > right_end;
        const vec4 under = imageLoad(picture, ivec2(x, y));
        const float alpha = beside ? 0.0 : colour.a * s.opacity;
        imageStore(image, tile + ivec2(x, y), vec4(mix(under.rgb, colour.rgb, alpha), under.a));
    }
}
