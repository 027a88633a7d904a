#version 460
// types: f32 f16
// boxes = reference moved by deltas in parts of its own size, and copy, the same in the type that
// products read:
//   (x, y) = (dx, dy) (w, h) + (x, y),  (w, h) = exp(dw, dh) (w, h)
// deltas, boxes (count, 4) f32; copy (count, 4). One thread per box.
//
// Where PICKED is set, deltas and reference are tables (n, 4), of which box i takes row from[i],
// and the result is moved once more, by `again`. y[i] is its sine embedding, in the order y, x, w,
// h, `numbers` of each: number j is
//   sin or cos(2 pi v / 10000^(2 floor(j / 2) / numbers)), sines where j is even.
// y (count, 4 * numbers). `numbers` is a multiple of four. One thread per four columns of y.
#extension GL_GOOGLE_include_directive : require
#include "shaders/boxes/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool PICKED = false;

layout(binding = 0) readonly buffer Deltas { vec4 deltas[]; };
layout(binding = 1) readonly buffer Reference { vec4 reference[]; };
layout(binding = 2) readonly buffer From { uint from[]; };
layout(binding = 3) readonly buffer Again { vec4 again[]; };
layout(binding = 4) writeonly buffer Boxes { vec4 boxes[]; };
layout(binding = 5) writeonly buffer Copy { OUT4 copy[]; };
layout(binding = 6) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { ScaleBoxesParams p; };

vec4 moved(vec4 box, vec4 delta) { return vec4(delta.xy * box.zw + box.xy, exp(delta.zw) * box.zw); }

// The sine embedding's columns j .. j + 3.
vec4 sines_of(vec4 box, uint j) {
    const uint number = divide(j, p.numbers), first = j - number * p.numbers;
    const float circle = 6.283185307 * box.yxzw[number], log_temperature = 9.210340372;
    // Two periods: of the first pair of sine and cosine, and of the second.
    const vec2 angle = circle * exp(-vec2(first, first + 2) / float(p.numbers) * log_temperature);
    return vec4(sin(angle.x), cos(angle.x), sin(angle.y), cos(angle.y));
}

void main() {
    const uint i = PICKED ? gl_GlobalInvocationID.y : gl_GlobalInvocationID.x;
    const uint j = PICKED ? 4 * gl_GlobalInvocationID.x : 0, batch = gl_GlobalInvocationID.z;
    if (i >= p.count || (PICKED && j >= 4 * p.numbers)) return;
    const uint row = PICKED ? from[row_start(p.from, batch, 0) + i] : i;
    vec4 box = moved(reference[row_start(p.reference, PICKED ? 0 : batch, row) / 4],
                     deltas[row_start(p.deltas, batch, row) / 4]);
    if (PICKED) {
        box = moved(box, again[row_start(p.again, 0, i) / 4]);
        y[(row_start(p.y, batch, i) + j) / 4] = store(sines_of(box, j));
    }
    if (j > 0) return;
    // Rows end at multiples of eight elements, and padding is zero.
    const uint boxes_at = row_start(p.boxes, batch, i) / 4, copy_at = row_start(p.copy, batch, i) / 4;
    boxes[boxes_at] = box;
    boxes[boxes_at + 1] = vec4(0.0);
    copy[copy_at] = store(box);
    copy[copy_at + 1] = store(vec4(0.0));
}
