#version 460
// The detections that `select` picked among the logits of all queries and classes: score =
// sigmoid(value), query = pick / classes, class = pick % classes, and
//   y = left, top, right, bottom, score, class, query      in pixels of the picture
// values (1, count) f32 and picks (1, count) u32; boxes (queries, 4) f32: centre and size in parts of
// the picture; y (count, 7) f32. One thread per detection.
#extension GL_GOOGLE_include_directive : require
#include "shaders/boxes/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer Values { float values[]; };
layout(binding = 1) readonly buffer Picks { uint picks[]; };
layout(binding = 2) readonly buffer Boxes { vec4 boxes[]; };
layout(binding = 3) writeonly buffer Y { vec4 y[]; };
layout(push_constant) uniform Push { PickedDetectionsParams p; };

void main() {
    const uint i = gl_GlobalInvocationID.x, batch = gl_GlobalInvocationID.z;
    if (i >= p.count) return;
    const uint pick = picks[row_start(p.picks, batch, 0) + i];
    const uint query = divide(pick, p.classes), label = pick - query * p.classes;
    const float score = 1.0 / (1.0 + exp(-values[row_start(p.values, batch, 0) + i]));
    const vec4 box = boxes[row_start(p.boxes, batch, query) / 4];
    const vec2 size = vec2(p.width, p.height);
    const uint y_at = row_start(p.y, batch, i) / 4;
    y[y_at] = vec4((box.xy - 0.5 * box.zw) * size, (box.xy + 0.5 * box.zw) * size);
    y[y_at + 1] = vec4(score, float(label), float(query), 0.0);
}
