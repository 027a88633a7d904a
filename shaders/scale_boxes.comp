#version 460
// boxes = reference moved by deltas in parts of its own size, and once more as products want them:
//   (x, y) = (dx, dy) (w, h) + (x, y),  (w, h) = exp(dw, dh) (w, h)
// deltas, boxes (count, 4) f32; copy (count, 4). Where TABLE is set, deltas and reference are tables
// (n, 4), of which each takes row from[i]. Where AGAIN is set, what came out is moved once more, by
// `again`. One thread per box.
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool TABLE = false;
layout(constant_id = 2) const bool AGAIN = false;

layout(binding = 0) readonly buffer Deltas { vec4 deltas[]; };
layout(binding = 1) readonly buffer Reference { vec4 reference[]; };
layout(binding = 2) readonly buffer From { uint from[]; };
layout(binding = 3) readonly buffer Again { vec4 again[]; };
layout(binding = 4) writeonly buffer Boxes { vec4 boxes[]; };
layout(binding = 5) writeonly buffer Copy { OUT4 copy[]; };
layout(push_constant) uniform Push { ScaleBoxesParams p; };

vec4 moved(vec4 box, vec4 delta) { return vec4(delta.xy * box.zw + box.xy, exp(delta.zw) * box.zw); }

void main() {
    const uint i = gl_GlobalInvocationID.x, batch = gl_GlobalInvocationID.z;
    if (i >= p.count) return;
    const uint row = TABLE ? from[row_start(p.from, batch, 0) + i] : i;
    vec4 box = moved(reference[row_start(p.reference, TABLE ? 0 : batch, row) / 4],
                     deltas[row_start(p.deltas, batch, row) / 4]);
    if (AGAIN) box = moved(box, again[row_start(p.again, 0, i) / 4]);
    // Rows end at multiples of eight elements, and padding is zero.
    const uint boxes_at = row_start(p.boxes, batch, i) / 4, copy_at = row_start(p.copy, batch, i) / 4;
    boxes[boxes_at] = box;
    boxes[boxes_at + 1] = vec4(0.0);
    copy[copy_at] = store(box);
    copy[copy_at + 1] = store(vec4(0.0));
}
