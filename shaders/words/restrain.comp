#version 460
// The logits processors of text generation. A row of scores is for the word after `said` ids:
//  - repetition penalty: words that have occurred get s / penalty where s > 0, s * penalty else;
//  - words that would repeat an n-gram of `run` words are excluded, and so are the banned ones;
//  - where a word is forced, all others are excluded.
// s is the score minus its row's `less`. scores (rows, columns) f32, in place; ids (said, 1) u32 in
// each batch, a batch a row; banned (count) u32; less (rows, 1) f32. One workgroup per row.
#extension GL_GOOGLE_include_directive : require
#include "shaders/words/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) coherent buffer Scores { float scores[]; };
layout(binding = 1) readonly buffer Ids { uint ids[]; };
layout(binding = 2) readonly buffer Banned { uint banned[]; };
layout(binding = 3) readonly buffer Less { float less[]; };
layout(push_constant) uniform Push { RestrainParams p; };

const float never = -3.402823466e38;

void main() {
    const uint row = gl_WorkGroupID.y, me = gl_LocalInvocationID.x;
    const uint at = row_start(p.scores, 0, row);
    const float base = p.use_less != 0 ? less[row_start(p.less, 0, row)] : 0.0;

    if (p.forced < p.columns) {
        for (uint j = me; j < p.columns; j += THREADS)
            scores[at + j] = j == p.forced ? base : never;
        return;
    }
    if (p.penalty != 1.0) {
        for (uint i = me; i < p.said; i += THREADS) {
            const uint id = ids[row_start(p.ids, row, i)];
            bool again = id >= p.columns;  // each word once
            for (uint j = 0; j < i; ++j) again = again || ids[row_start(p.ids, row, j)] == id;
            if (again) continue;
            const float s = scores[at + id] - base;
            scores[at + id] = base + (s > 0.0 ? s / p.penalty : s * p.penalty);
        }
    }
    // A banned word stays banned: these writes come after those above, of all threads.
    memoryBarrierBuffer();
    barrier();
    if (p.run > 0 && p.said + 1 >= p.run) {
        // Every run of run - 1 words like the last ones bans the word that followed it.
        for (uint i = me; i + p.run <= p.said; i += THREADS) {
            bool same = true;
            for (uint j = 0; j + 1 < p.run; ++j)
                same = same && ids[row_start(p.ids, row, i + j)] ==
                                   ids[row_start(p.ids, row, p.said + 1 - p.run + j)];
            const uint id = ids[row_start(p.ids, row, i + p.run - 1)];
            if (same && id < p.columns) scores[at + id] = never;
        }
    }
    for (uint i = me; i < p.banned_count; i += THREADS)
        if (banned[p.banned + i] < p.columns) scores[at + banned[p.banned + i]] = never;
}
