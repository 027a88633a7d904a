#version 460
// image = the image with triangles laid over it in their order: colour = mix(colour, c.rgb, c.a),
// where c is the corners' colours blended over the triangle, times the atlas' coverage where it is
// textured. A pixel belongs to a triangle if its middle lies inside; one right on an edge that two
// triangles share belongs to exactly one of them.
// One workgroup per tile of 16 x 16 pixels, one thread per pixel: it goes through the tile's list.
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/params.h"

layout(local_size_x = 16, local_size_y = 16) in;

layout(binding = 0) readonly buffer Tiles { uvec2 tiles[]; };
layout(binding = 1) readonly buffer List { uint list[]; };
layout(binding = 2) readonly buffer Shapes { uint shapes[]; };
layout(binding = 3) readonly buffer Atlas { uint atlas[]; };
layout(binding = 4, rgba8) uniform image2D image;
layout(push_constant) uniform Push { TrianglesParams p; };

float number(uint at) { return uintBitsToFloat(shapes[at]); }
vec2 pair(uint at) { return vec2(number(at), number(at + 1)); }

// The edge function of the edge opposite corner i: positive inside. It is always measured from the
// same end of the edge, whatever the direction in which a triangle has it. So two triangles that
// share the edge get the same number with opposite signs, and exactly zero at its ends.
float side(uint shape, uint flags, uint i, vec2 point) {
    const uint next = i == 2 ? 0 : i + 1, last = i == 0 ? 2 : i - 1;
    const bool turned = (flags & (triangle_turned_edge << i)) != 0;
    const vec2 from = pair(shape + 2 * (turned ? last : next));
    const vec2 along = pair(shape + 2 * (turned ? next : last)) - from, to = point - from;
    precise const float one = along.x * to.y;
    precise const float other = along.y * to.x;
    precise const float result = one - other;
    return turned ? -result : result;
}
bool inside(float side, uint flags, uint i) {
    return side > 0 || (side == 0 && (flags & (triangle_owns_edge << i)) != 0);
}

float covered(ivec2 at) {
    const uvec2 texel = uvec2(clamp(at, ivec2(0), ivec2(p.atlas_width, p.atlas_height) - 1));
    const uint byte = texel.y * p.atlas_width + texel.x;
    return float((atlas[byte / 4] >> (8 * (byte & 3))) & 0xffu) / 255.0;
}

float coverage(vec2 texel) {
    const vec2 corner = floor(texel - 0.5), part = texel - 0.5 - corner;
    const ivec2 at = ivec2(corner);
    return mix(mix(covered(at), covered(at + ivec2(1, 0)), part.x),
               mix(covered(at + ivec2(0, 1)), covered(at + ivec2(1, 1)), part.x), part.y);
}

void main() {
    const uvec2 at = gl_GlobalInvocationID.xy;
    const uvec2 tile = tiles[gl_WorkGroupID.y * p.tiles_across + gl_WorkGroupID.x];
    if (tile.y == 0 || at.x >= p.width || at.y >= p.height) return;
    const vec2 middle = vec2(at) + 0.5;
    vec3 colour = imageLoad(image, ivec2(at)).rgb;
    for (uint i = 0; i < tile.y; ++i) {
        const uint shape = list[tile.x + i] * triangle_words;
        const uvec2 clip = uvec2(shapes[shape + triangle_clip], shapes[shape + triangle_clip + 1]);
        if (any(lessThan(at, uvec2(clip.x & 0xffffu, clip.x >> 16))) ||
            any(greaterThanEqual(at, uvec2(clip.y & 0xffffu, clip.y >> 16))))
            continue;
        const vec2 first = pair(shape), second = pair(shape + 2), third = pair(shape + 4);
        if (any(lessThan(middle, min(first, min(second, third)))) ||
            any(greaterThan(middle, max(first, max(second, third)))))
            continue;  // most are letters beside this pixel
        const uint flags = shapes[shape + triangle_flags];
        const float side0 = side(shape, flags, 0, middle);
        const float side1 = side(shape, flags, 1, middle);
        const float side2 = side(shape, flags, 2, middle);
        if (!inside(side0, flags, 0) || !inside(side1, flags, 1) || !inside(side2, flags, 2))
            continue;
        // Barycentric coordinates.
        const vec3 weight = vec3(side0, side1, side2) * number(shape + triangle_area);
        const uint colours = shape + triangle_colours, texels = shape + triangle_texels;
        vec4 c = weight.x * unpackUnorm4x8(shapes[colours]) +
                 weight.y * unpackUnorm4x8(shapes[colours + 1]) +
                 weight.z * unpackUnorm4x8(shapes[colours + 2]);
        if ((flags & triangle_textured) != 0)
            c.a *= coverage(weight.x * pair(texels) + weight.y * pair(texels + 2) +
                            weight.z * pair(texels + 4));
        colour = mix(colour, c.rgb, c.a);
    }
    imageStore(image, ivec2(at), vec4(colour, 1.0));
}
