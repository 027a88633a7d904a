#version 460
// screen[y][x] = the picture's colour there, black beside it. A pixel of the screen covers the
// picture's [s, s + step) in each direction. ENLARGE (step below 1): bilinear between the four pixels
// around its middle. Otherwise the mean over what it covers.
// One thread per pixel of the screen.
#extension GL_GOOGLE_include_directive : require
#include "shaders/pictures/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool ENLARGE = false;

layout(binding = 0, rgba8) readonly uniform image2D picture;
layout(binding = 1, rgba8) writeonly uniform image2D screen;
layout(push_constant) uniform Push { LetterboxParams p; };

vec3 pixel(ivec2 at) {
    const ivec2 last = ivec2(p.picture_width, p.picture_height) - 1;
    return imageLoad(picture, clamp(at, ivec2(0), last)).rgb;
}

vec3 between(vec2 middle) {
    const vec2 corner = floor(middle - 0.5), part = middle - 0.5 - corner;
    const ivec2 at = ivec2(corner);
    return mix(mix(pixel(at), pixel(at + ivec2(1, 0)), part.x),
               mix(pixel(at + ivec2(0, 1)), pixel(at + ivec2(1, 1)), part.x), part.y);
}

vec3 mean(vec2 from, vec2 to) {
    const ivec2 first = ivec2(floor(from)), end = ivec2(ceil(to));
    vec3 sum = vec3(0);
    float area = 0;
    for (int y = first.y; y < end.y; ++y) {
        const float height = min(to.y, float(y + 1)) - max(from.y, float(y));
        for (int x = first.x; x < end.x; ++x) {
            const float part = height * (min(to.x, float(x + 1)) - max(from.x, float(x)));
            sum += part * pixel(ivec2(x, y));
            area += part;
        }
    }
    return sum / area;
}

void main() {
    const uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x >= p.width || at.y >= p.height) return;
    const ivec2 within = ivec2(at) - ivec2(p.left, p.top);
    vec3 colour = vec3(0);
    if (all(greaterThanEqual(within, ivec2(0))) &&
        all(lessThan(within, ivec2(p.placed_width, p.placed_height)))) {
        const vec2 step = vec2(p.step_x, p.step_y), from = vec2(within) * step;
        colour = ENLARGE ? between(from + 0.5 * step) : mean(from, from + step);
    }
    imageStore(screen, ivec2(at), vec4(colour, 1.0));
}
