#version 460
// types: f32 f16
// Cells of a map pooled by a convolution of each column on its own, then normalised, head by head:
//   y[(r, c)] = LN(sum over (i, j) of w[i][j] x[(r stride + i - padding, c stride + j - padding)])
// All heads share w (kernel * kernel, size) f32, weight and bias (size) f32. `first` rows before the map
// are only normalised. x (first + height * width, heads * 4 HEAD4), y (first + out_height * out_width, the
// same). One workgroup per head and row of y; the third axis is the batch.
#extension GL_GOOGLE_include_directive : require
#include "shaders/grid_attention/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;
layout(constant_id = 1) const uint HEAD4 = 24;  // fours of a head
layout(constant_id = 2) const uint KERNEL = 3;
const uint ROUNDS = (HEAD4 + THREADS - 1) / THREADS;

layout(binding = 0) readonly buffer X { IN4 x[]; };
layout(binding = 1) readonly buffer W { vec4 w[]; };
layout(binding = 2) readonly buffer Weight { vec4 weight[]; };
layout(binding = 3) readonly buffer Bias { vec4 bias[]; };
layout(binding = 4) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { PoolHeadsParams p; };

#include "shaders/common/reduce.glsl"

vec4 pooled(uint row, uint column4, uint d) {
    if (row < p.first) return load(x[row_start(p.x, gl_WorkGroupID.z, row) / 4 + column4]);
    const uint down = divide(row - p.first, p.out_width);
    const ivec2 corner = ivec2(row - p.first - down * p.out_width, down) * int(p.stride) - int(p.padding);
    vec4 sum = vec4(0.0);
    for (uint i = 0; i < KERNEL * KERNEL; ++i) {
        const ivec2 at = corner + ivec2(i % KERNEL, i / KERNEL);
        if (at.x < 0 || at.y < 0 || at.x >= int(p.width) || at.y >= int(p.height)) continue;
        const uint from = row_start(p.x, gl_WorkGroupID.z, p.first + uint(at.y) * p.width + uint(at.x));
        sum += w[i * p.w_stride / 4 + d] * load(x[from / 4 + column4]);
    }
    return sum;
}

void main() {
    const uint head = gl_WorkGroupID.x, row = gl_WorkGroupID.y, me = gl_LocalInvocationID.x;
    vec4 held[ROUNDS];
    vec4 sum = vec4(0.0), squares = vec4(0.0);
    [[unroll]] for (uint i = 0; i < ROUNDS; ++i) {
        const uint d = me + i * THREADS;
        held[i] = d < HEAD4 ? pooled(row, head * HEAD4 + d, d) : vec4(0.0);
        sum += held[i];
    }
    const float mean = workgroup_sum(dot(sum, vec4(1.0))) / float(p.size);
    [[unroll]] for (uint i = 0; i < ROUNDS; ++i) {
        held[i] = before(held[i] - mean, 4 * (me + i * THREADS), p.size);
        squares += held[i] * held[i];
    }
    const float variance = workgroup_sum(dot(squares, vec4(1.0))) / float(p.size);
    const float scale = 1.0 / sqrt(variance + p.eps);
    const uint y_at = row_start(p.y, gl_WorkGroupID.z, row) / 4 + head * HEAD4;
    [[unroll]] for (uint i = 0; i < ROUNDS; ++i) {
        const uint d = me + i * THREADS;
        if (d < HEAD4) y[y_at + d] = store(before(held[i] * scale * weight[d] + bias[d], 4 * d, p.size));
    }
}
