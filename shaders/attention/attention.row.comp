#version 460
// types: f32 f16
// y = softmax(scale q k^T) v for each head, where there are few queries and it takes many threads to
// read the keys. q, y (queries, heads * 4 HEAD4), k, v (keys, heads * 4 HEAD4). One workgroup per
// query and head. It goes over the keys in chunks: a thread scores some keys of the chunk, then takes
// four columns of v for some keys, GROUPS threads to the same four. The sums so far are rescaled when a
// chunk has a larger score (an online softmax).
#extension GL_GOOGLE_include_directive : require
#include "shaders/attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint CHUNK = 256;
layout(constant_id = 2) const uint HEAD4 = 16;  // vec4s of a head
layout(constant_id = 3) const uint CAUSAL = 0;  // query i sees keys 0 .. i + causal_offset

layout(binding = 0) readonly buffer Q { IN4 q[]; };
layout(binding = 1) readonly buffer K { IN4 k[]; };
layout(binding = 2) readonly buffer V { IN4 v[]; };
layout(binding = 3) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { AttentionParams p; };

const uint GROUPS = THREADS > HEAD4 ? THREADS / HEAD4 : 1;
const uint AHEAD = 4;  // keys whose values a thread reads at once
const uint EACH = (HEAD4 + THREADS - 1) / THREADS;  // fours of columns that a thread takes

shared float weight[CHUNK];
shared vec4 parts[GROUPS * HEAD4];

#include "shaders/common/reduce.glsl"

void main() {
    const uint row = gl_WorkGroupID.x, head = gl_WorkGroupID.y, batch = gl_WorkGroupID.z;
    const uint me = gl_LocalInvocationID.x, kv_head = divide(head, p.sharing);
    const uint group = GROUPS > 1 ? me / HEAD4 : 0, first_four = me - group * HEAD4;

    vec4 query[HEAD4];
    const uint q_at = row_start(p.q, batch, row) / 4 + head * HEAD4;
    [[unroll]] for (uint d = 0; d < HEAD4; ++d) query[d] = load(q[q_at + d]) * p.scale;

    vec4 sum[EACH];
    [[unroll]] for (uint i = 0; i < EACH; ++i) sum[i] = vec4(0.0);
    float largest = -1e30, total = 0.0;
    const uint keys = CAUSAL != 0 ? min(p.keys, row + p.causal_offset + 1) : p.keys;
    for (uint first = 0; first < keys; first += CHUNK) {
        const uint count = min(CHUNK, keys - first);
        float top = largest;
        for (uint j = me; j < count; j += THREADS) {
            const uint k_at = row_start(p.k, batch, first + j) / 4 + kv_head * HEAD4;
            vec4 dots = vec4(0.0);
            [[unroll]] for (uint d = 0; d < HEAD4; ++d) dots += query[d] * load(k[k_at + d]);
            weight[j] = dot(dots, vec4(1.0));
            top = max(top, weight[j]);
        }
        top = workgroup_max(top);
        const float shrink = exp(largest - top);
        largest = top;

        float mine = 0.0;
        for (uint j = me; j < count; j += THREADS) {
            weight[j] = exp(weight[j] - top);
            mine += weight[j];
        }
        total = total * shrink + workgroup_sum(mine);

        [[unroll]] for (uint i = 0; i < EACH; ++i) {
            const uint four = first_four + i * THREADS;
            if (group >= GROUPS || four >= HEAD4) break;
            vec4 more = vec4(0.0);
            for (uint j = group; j < count; j += AHEAD * GROUPS) {
                IN4 values[AHEAD];  // all on their way before the first is used
                [[unroll]] for (uint a = 0; a < AHEAD; ++a) {
                    const uint key = first + min(j + a * GROUPS, count - 1);
                    values[a] = v[row_start(p.v, batch, key) / 4 + kv_head * HEAD4 + four];
                }
                [[unroll]] for (uint a = 0; a < AHEAD; ++a)
                    if (j + a * GROUPS < count) more += weight[j + a * GROUPS] * load(values[a]);
            }
            sum[i] = sum[i] * shrink + more;
        }
        barrier();  // all threads have used the weights
    }

    [[unroll]] for (uint i = 0; i < EACH; ++i) {
        const uint four = first_four + i * THREADS;
        if (group < GROUPS && four < HEAD4) parts[group * HEAD4 + four] = sum[i];
    }
    barrier();
    const uint y_at = row_start(p.y, batch, row) / 4 + head * HEAD4;
    for (uint four = me; four < HEAD4; four += THREADS) {
        vec4 all = vec4(0.0);
        for (uint g = 0; g < GROUPS; ++g) all += parts[g * HEAD4 + four];
        y[y_at + four] = store(all / total);
    }
}
