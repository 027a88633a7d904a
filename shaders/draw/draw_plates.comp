#version 460
// Draws a list of plates (see params.h) onto an image in their order, each over those before:
//   pixel = mix(pixel, colour, coverage alpha)
// where coverage is how much of the pixel lies inside of the rectangle with its round corners, or
// the glyph's coverage in the atlas. One workgroup per tile of TILE_WIDTH x TILE_HEIGHT pixels: it
// marks the plates that touch the tile, then draws only these. A pixel is always drawn by the same
// thread.
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/params.h"

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 0) const uint THREADS_X = 4;
layout(constant_id = 1) const uint THREADS_Y = 1;
layout(constant_id = 2) const uint TILE_WIDTH = 4;
layout(constant_id = 3) const uint TILE_HEIGHT = 1;

layout(binding = 0, rgba8) uniform image2D image;
layout(binding = 1) readonly buffer Plates { uint plate_count, unused[3]; Plate plates[]; };
layout(binding = 2) readonly buffer Runs { Run runs[]; };
layout(binding = 3) readonly buffer Glyphs { Glyph glyphs[]; };
layout(binding = 4) readonly buffer Atlas { uint atlas[]; };
layout(push_constant) uniform Push { DrawPlatesParams p; };

const uint marks = 32;  // words of marks: one round tests 32 times as many plates
shared uint touching[marks];

// The part of the image that this workgroup draws: left, top, right, bottom.
ivec4 tile;

ivec4 within(ivec4 a, ivec4 b) { return ivec4(max(a.xy, b.xy), min(a.zw, b.zw)); }
bool is_empty(ivec4 a) { return a.x >= a.z || a.y >= a.w; }

// This thread's first pixel at or after `from`.
ivec2 first_of_mine(ivec2 from) {
    const ivec2 threads = ivec2(THREADS_X, THREADS_Y);
    const ivec2 mine = tile.xy + ivec2(gl_LocalInvocationID.xy);
    return mine + (max(from - mine, 0) + threads - 1) / threads * threads;
}

void blend(ivec2 at, vec3 colour, float alpha) {
    const vec4 old = imageLoad(image, at);
    imageStore(image, at, vec4(mix(old.rgb, colour, alpha), old.a));
}

ivec4 bounds_of(Plate plate) {
    const vec2 most = vec2(p.width, p.height);
    const vec2 from = clamp(vec2(plate.left, plate.top), vec2(0.0), most);
    const vec2 to = clamp(vec2(plate.right, plate.bottom), vec2(0.0), most);
    return ivec4(floor(from), ceil(to));
}

// Whether the plate draws anything in the tile: a mere frame draws nothing in its middle.
bool touches(Plate plate) {
    const vec4 edges = vec4(plate.left, plate.top, plate.right, plate.bottom);
    if (any(isnan(edges)) || any(isinf(edges)) || is_empty(within(bounds_of(plate), tile)))
        return false;
    if (plate.fill >> 24 != 0 || plate.run != no_run) return true;
    const vec4 hole = edges + vec4(1, 1, -1, -1) * (plate.frame_width + plate.radius);
    return any(lessThan(vec2(tile.xy), hole.xy)) || any(greaterThan(vec2(tile.zw), hole.zw));
}

void draw_rectangle(Plate plate, ivec4 area) {
    const vec4 fill = unpackUnorm4x8(plate.fill), frame = unpackUnorm4x8(plate.frame);
    const vec2 centre = 0.5 * vec2(plate.left + plate.right, plate.top + plate.bottom);
    const vec2 half_size = 0.5 * vec2(plate.right - plate.left, plate.bottom - plate.top);
    const float radius = min(plate.radius, min(half_size.x, half_size.y));
    const ivec2 first = first_of_mine(area.xy);
    for (int y = first.y; y < area.w; y += int(THREADS_Y))
        for (int x = first.x; x < area.z; x += int(THREADS_X)) {
            // Distance to the edge, negative inside.
            const vec2 corner = abs(vec2(x, y) + 0.5 - centre) - half_size + radius;
            const float edge =
                length(max(corner, 0.0)) + min(max(corner.x, corner.y), 0.0) - radius;
            const float outer = clamp(0.5 - edge, 0.0, 1.0);
            const float inner = frame.a > 0.0 ? clamp(0.5 - edge - plate.frame_width, 0.0, 1.0) : outer;
            const float fill_alpha = inner * fill.a, frame_alpha = (outer - inner) * frame.a;
            const float alpha = fill_alpha + frame_alpha;
            if (alpha > 0.0)
                blend(ivec2(x, y), (fill.rgb * fill_alpha + frame.rgb * frame_alpha) / alpha, alpha);
        }
}

ivec2 signed_pair(uint word) { return ivec2(int(word << 16) >> 16, int(word) >> 16); }
ivec2 pair(uint word) { return ivec2(word & 0xffffu, word >> 16); }

void draw_text(Plate plate, ivec4 area) {
    const Run run = runs[plate.run];
    for (uint i = 0; i < run.count; ++i) {
        const Glyph glyph = glyphs[run.first + i];
        const ivec2 corner = ivec2(plate.text_x, plate.text_y) + signed_pair(glyph.place);
        const ivec4 box = within(ivec4(corner, corner + pair(glyph.size)), area);
        if (is_empty(box)) continue;
        const vec4 ink = unpackUnorm4x8(glyph.ink != 0 ? glyph.ink : plate.ink);
        const ivec2 source = pair(glyph.source) - corner;
        const ivec2 first = first_of_mine(box.xy);
        for (int y = first.y; y < box.w; y += int(THREADS_Y))
            for (int x = first.x; x < box.z; x += int(THREADS_X)) {
                const uint at = uint(source.y + y) * p.atlas_side + uint(source.x + x);
                const uint coverage = (atlas[at / 4] >> (8 * (at & 3))) & 0xffu;
                if (coverage != 0) blend(ivec2(x, y), ink.rgb, float(coverage) / 255.0 * ink.a);
            }
    }
}

void main() {
    const uint me = gl_LocalInvocationIndex;
    const uint threads = THREADS_X * THREADS_Y;
    const ivec2 corner = ivec2(gl_WorkGroupID.xy * uvec2(TILE_WIDTH, TILE_HEIGHT));
    tile = ivec4(corner, min(corner + ivec2(TILE_WIDTH, TILE_HEIGHT), ivec2(p.width, p.height)));

    for (uint base = 0; base < plate_count; base += 32 * marks) {
        const uint count = min(plate_count - base, 32 * marks);
        for (uint i = me; 32 * i < count; i += threads) touching[i] = 0;
        barrier();
        for (uint i = me; i < count; i += threads)
            if (touches(plates[base + i])) atomicOr(touching[i / 32], 1u << (i & 31));
        barrier();
        for (uint word = 0; 32 * word < count; ++word)
            for (uint left = touching[word]; left != 0; left &= left - 1) {
                const Plate plate = plates[base + 32 * word + uint(findLSB(left))];
                const ivec4 area = within(bounds_of(plate), tile);
                if ((plate.fill | plate.frame) >> 24 != 0) draw_rectangle(plate, area);
                if (plate.run != no_run) draw_text(plate, area);
            }
        barrier();
    }
}
