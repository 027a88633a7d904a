#version 460
// The detection of each query. logits (queries, columns) and boxes (queries, 4), all f32; y (queries, 7):
//   score = max over j < classes of softmax(logits)[j], label = the first j that has it
//   left, top, right, bottom = ((x, y) -+ (w, h) / 2) (width, height)   for the box (x, y, w, h)
//   y = left, top, right, bottom, score, label, query
// The columns after the classes, a model's "no object", count in the softmax and are never the
// label. One workgroup per query.
#extension GL_GOOGLE_include_directive : require
#include "shaders/boxes/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) readonly buffer Logits { float logits[]; };
layout(binding = 1) readonly buffer Boxes { vec4 boxes[]; };
layout(binding = 2) writeonly buffer Y { vec4 y[]; };
layout(push_constant) uniform Push { DetectionsParams p; };

#include "shaders/common/reduce.glsl"

void main() {
    const uint query = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint at = row_start(p.logits, batch, query);
    const uint me = gl_LocalInvocationID.x;

    const float smallest = -3.4e38;
    float all = smallest, objects = smallest;
    for (uint j = me; j < p.columns; j += THREADS) {
        all = max(all, logits[at + j]);
        if (j < p.classes) objects = all;
    }
    const float largest = workgroup_max(all), best = workgroup_max(objects);

    float sum = 0.0, first = smallest;  // the first of equal ones has the largest negative
    for (uint j = me; j < p.columns; j += THREADS) {
        const float v = logits[at + j];
        sum += exp(v - largest);
        if (j < p.classes && v == best) first = max(first, -float(j));
    }
    const float total = workgroup_sum(sum), label = -workgroup_max(first);
    if (me != 0) return;

    const vec4 box = boxes[row_start(p.boxes, batch, query) / 4];
    const vec2 size = vec2(p.width, p.height);
    const uint y_at = row_start(p.y, batch, query) / 4;
    y[y_at] = vec4((box.xy - 0.5 * box.zw) * size, (box.xy + 0.5 * box.zw) * size);
    y[y_at + 1] = vec4(exp(best - largest) / total, label, float(query), 0.0);
}
