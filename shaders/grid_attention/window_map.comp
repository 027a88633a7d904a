#version 460
// types: f32 f16_f32
// The softmax of window_attention for one query, by head.
// map[h] = softmax over the window's cells of scale q . k + bias, for head first_head + h: (heads, CELLS)
// f32; WHOLE: (heads, cells of the map), each weight where its cell lies, and 0 outside of the window.
// CLASS_TOKENS: each window has a class token, which is a query and a key after those of its cells;
// the class tokens of all windows follow the cells of the map. There is no bias then. One workgroup
// per row of the map; the third axis is the batch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/grid_attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint WINDOW = 7;
layout(constant_id = 2) const uint HEAD4 = 8;
layout(constant_id = 3) const bool COSINE = false;
layout(constant_id = 4) const bool WHOLE = false;
layout(constant_id = 5) const bool CLASS_TOKENS = false;
const uint CELLS = WINDOW * WINDOW, KEYS = CLASS_TOKENS ? CELLS + 1 : CELLS;

layout(binding = 0) readonly buffer Q { IN4 q[]; };
layout(binding = 1) readonly buffer K { IN4 k[]; };
layout(binding = 2) readonly buffer Bias { float bias[]; };
layout(binding = 3) readonly buffer Scales { float scales[]; };
layout(binding = 4) writeonly buffer Map { float map[]; };
layout(push_constant) uniform Push { WindowMapParams p; };

#include "shaders/common/reduce.glsl"
#include "shaders/grid_attention/windows.glsl"

const float shortest = 1e-12;
vec4 query[HEAD4];
uint head;

uint this_window() { return window_y * p.windows.across + window_x; }
uint row_of_token(uint token) {
    return token < CELLS ? row_of(place_of(token)) : padding_row() + this_window();
}
// The inverse: which token of this window a row is, or KEYS for none.
uint token_of(uint row) {
    if (row >= padding_row()) return row - padding_row() == this_window() ? CELLS : KEYS;
    const uint cell = cell_of(row);
    return cell < CELLS ? cell : KEYS;
}

float score_of(uint token, uvec2 place) {
    const uvec2 key = place_of(token);
    const uint at = row_start(p.k, batch, row_of_token(token)) / 4 + head * HEAD4;
    vec4 dots = vec4(0.0), squares = vec4(0.0);
    [[unroll]] for (uint d = 0; d < HEAD4; ++d) {
        const vec4 four = load(k[at + d]);
        dots += query[d] * four;
        squares += four * four;
    }
    float score = dot(dots, vec4(1.0));
    if (COSINE) score /= max(sqrt(dot(squares, vec4(1.0))), shortest);
    if (CLASS_TOKENS) return score;
    score += bias[bias_at(head, place) - bias_step(key)];
    return apart(place, key) ? score + p.windows.mask : score;
}

void main() {
    const uint me = gl_LocalInvocationID.x;
    head = p.first_head + gl_WorkGroupID.y;
    find_window(p.window);
    const uvec2 place = place_of(p.cell);
    const uint q_at = row_start(p.q, batch, row_of_token(p.cell)) / 4 + head * HEAD4;
    vec4 squares = vec4(0.0);
    [[unroll]] for (uint d = 0; d < HEAD4; ++d) {
        query[d] = load(q[q_at + d]);
        squares += query[d] * query[d];
    }
    float scale = p.scale;
    if (COSINE) scale = scales[head] / max(sqrt(dot(squares, vec4(1.0))), shortest);
    [[unroll]] for (uint d = 0; d < HEAD4; ++d) query[d] *= scale;

    float largest = -1e30, total = 0.0;
    for (uint key = me; key < KEYS; key += THREADS) largest = max(largest, score_of(key, place));
    largest = workgroup_max(largest);
    for (uint key = me; key < KEYS; key += THREADS) total += exp(score_of(key, place) - largest);
    total = workgroup_sum(total);

    const uint map_at = row_start(p.map, 0, gl_WorkGroupID.y);
    const uint all = CLASS_TOKENS ? padding_row() + p.windows.across * p.windows.down : padding_row();
    const uint columns = WHOLE ? all : KEYS;
    for (uint i = me; i < padded(columns); i += THREADS) {
        const uint key = WHOLE ? token_of(i) : i;
        map[map_at + i] =
            i < columns && key < KEYS ? exp(score_of(key, place) - largest) / total : 0.0;
    }
}
