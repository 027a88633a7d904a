#version 460
// types: f32 f16
// boxes = sigmoid(deltas + logit(reference)), and copy, the same in the type that products read.
// deltas, boxes (count, 4) f32; copy (count, 4). Each box has its own reference, and logit(x) =
// log(max(x, 1e-5) / max(1 - x, 1e-5)). Where ANCHORS is set, deltas and reference are tables (n,
// 4), of which box i takes row from[i], and the reference is logits already. One thread per box.
#extension GL_GOOGLE_include_directive : require
#include "shaders/boxes/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint ANCHORS = 0;

layout(binding = 0) readonly buffer Deltas { vec4 deltas[]; };
layout(binding = 1) readonly buffer Reference { vec4 reference[]; };
layout(binding = 2) readonly buffer From { uint from[]; };
layout(binding = 3) writeonly buffer Boxes { vec4 boxes[]; };
layout(binding = 4) writeonly buffer Copy { OUT4 copy[]; };
layout(push_constant) uniform Push { RefineBoxesParams p; };

vec4 logit_of(vec4 box) {
    const vec4 held = clamp(box, 0.0, 1.0);
    return log(max(held, 1e-5) / max(1.0 - held, 1e-5));
}
vec4 refined(vec4 deltas, vec4 logit) { return 1.0 / (1.0 + exp(-(deltas + logit))); }

void main() {
    const uint i = gl_GlobalInvocationID.x, batch = gl_GlobalInvocationID.z;
    if (i >= p.count) return;
    const uint row = ANCHORS != 0 ? from[row_start(p.from, batch, 0) + i] : i;
    const vec4 start = reference[row_start(p.reference, ANCHORS != 0 ? 0 : batch, row) / 4];
    const vec4 box = refined(deltas[row_start(p.deltas, batch, row) / 4],
                             ANCHORS != 0 ? start : logit_of(start));
    // Rows end at multiples of eight elements, and padding is zero.
    const uint boxes_at = row_start(p.boxes, batch, i) / 4, copy_at = row_start(p.copy, batch, i) / 4;
    boxes[boxes_at] = box;
    boxes[boxes_at + 1] = vec4(0.0);
    copy[copy_at] = store(box);
    copy[copy_at + 1] = store(vec4(0.0));
}
