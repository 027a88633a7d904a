#version 460
// The detection of each query, with a sigmoid for each class. logits (queries, classes) and boxes
// (queries, 4), all f32; y (queries, 7):
//   score = sigmoid(max logits), label = the first column that has it
//   left, top, right, bottom = ((x, y) -+ (w, h) / 2) (width, height)   for the box (x, y, w, h)
//   y = left, top, right, bottom, score, label, query
// One thread per query: classes are few.
#extension GL_GOOGLE_include_directive : require
#include "shaders/boxes/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;

layout(binding = 0) readonly buffer Logits { float logits[]; };
layout(binding = 1) readonly buffer Boxes { vec4 boxes[]; };
layout(binding = 2) writeonly buffer Y { vec4 y[]; };
layout(push_constant) uniform Push { MatchesParams p; };

void main() {
    const uint query = gl_GlobalInvocationID.x, batch = gl_GlobalInvocationID.z;
    if (query >= p.queries) return;
    const uint at = row_start(p.logits, batch, query);
    float best = logits[at];
    uint label = 0;
    for (uint j = 1; j < p.classes; ++j) {
        const float value = logits[at + j];
        if (value > best) {
            best = value;
            label = j;
        }
    }
    const vec4 box = boxes[row_start(p.boxes, batch, query) / 4];
    const vec2 size = vec2(p.width, p.height);
    const uint y_at = row_start(p.y, batch, query) / 4;
    y[y_at] = vec4((box.xy - 0.5 * box.zw) * size, (box.xy + 0.5 * box.zw) * size);
    y[y_at + 1] = vec4(1.0 / (1.0 + exp(-best)), float(label), float(query), 0.0);
}
