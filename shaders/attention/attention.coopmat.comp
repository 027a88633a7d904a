#version 460
// types: f16
// requires: GL_KHR_cooperative_matrix
// attention.comp on cooperative matrices: y = softmax(scale q k^T) v for each head, fp16 in and out,
// fp32 scores, statistics and sums. q, y (queries, heads * HEAD), k, v (keys, heads * HEAD).
// The first axis is the query, the second the head, the third the batch. See attention.coopmat.glsl.
// Keys and values are read by their addresses: see eights.glsl.
#extension GL_GOOGLE_include_directive : require
#include "shaders/attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 128;
layout(constant_id = 1) const uint QUERY_GROUPS = 1;
layout(constant_id = 2) const uint KEY_GROUPS = 4;
layout(constant_id = 3) const uint HEAD = 64;
layout(constant_id = 4) const uint CHUNKS = 1;
layout(constant_id = 5) const uint CHUNK_BLOCKS = 4;
layout(constant_id = 6) const uint ALIKE = 0;
layout(constant_id = 7) const uint ONLINE = 0;
const uint F = 16;
const uint TILES = 2;
const uint OTHER_TILE = 0;

layout(binding = 0) readonly buffer Q { uvec4 q[]; };
layout(binding = 1) readonly buffer K { uvec4 k[]; };
layout(binding = 2) readonly buffer V { uvec4 v[]; };
layout(binding = 3) writeonly buffer Y { uvec4 y[]; };
layout(push_constant) uniform Push { AttentionParams p; AttentionAddresses addresses; };

#include "shaders/common/eights.glsl"

uint me, head_at, keys_at, values_at;  // in eights
uint all_queries() { return p.queries; }
uint all_keys() { return p.keys; }
float score_scale() { return p.scale; }
uvec4 query_at(uint i, uint column8) {
    return q[row_start(p.q, gl_WorkGroupID.z, i) / 8 + head_at + column8];
}
uvec4 key_at(uint i, uint column8) {
    return Eights(address(addresses.k)).at[keys_at + i * (p.k.row_stride / 8) + column8];
}
uvec4 value_at(uint i, uint column8) {
    return Eights(address(addresses.v)).at[values_at + i * (p.v.row_stride / 8) + column8];
}
void put(uint query, uint column8, vec4 low, vec4 high) {
    y[row_start(p.y, gl_WorkGroupID.z, query) / 8 + head_at + column8] =
        uvec4(store(low), store(high));
}

#include "shaders/attention/attention.coopmat.glsl"

void main() {
    me = gl_LocalInvocationIndex;
    head_at = gl_WorkGroupID.y * HEAD8;
    const uint kv_at = divide(gl_WorkGroupID.y, p.sharing) * HEAD8;
    keys_at = row_start(p.k, gl_WorkGroupID.z, 0) / 8 + kv_at;
    values_at = row_start(p.v, gl_WorkGroupID.z, 0) / 8 + kv_at;
    attend(gl_WorkGroupID.x * QUERIES);
}
