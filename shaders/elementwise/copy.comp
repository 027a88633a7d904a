#version 460
// types: f32 f16
// y[i][j][k][l] = scale x[i][j][k][l], zero where x ends before y does; any strides, any change of type.
// x is read as words, whatever it stores. One thread per four elements of y: l on the first axis, k
// on the second, i and j on the third.
#extension GL_GOOGLE_include_directive : require
#include "shaders/elementwise/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint STORED = stored_f32;

layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) writeonly buffer Y { OUT4 y[]; };
layout(push_constant) uniform Push { CopyParams p; };

float stored(uint at) {
    if (STORED == stored_f32) return uintBitsToFloat(x[at]);
    const uint bits = (x[at / 2] >> (16 * (at & 1))) & 0xffffu;
    return STORED == stored_f16 ? unpack_halves(bits).x : uintBitsToFloat(bits << 16);
}

void main() {
    const uint l = 4 * gl_GlobalInvocationID.x, k = gl_GlobalInvocationID.y;
    const uint i = divide(gl_GlobalInvocationID.z, p.y_size[1]);
    const uint j = gl_GlobalInvocationID.z - i * p.y_size[1];
    if (l >= p.y_size[3]) return;
    vec4 value = vec4(0.0);
    if (i < p.x_size[0] && j < p.x_size[1] && k < p.x_size[2]) {
        const uint at =
            p.x_offset + i * p.x_stride[0] + j * p.x_stride[1] + k * p.x_stride[2];
        [[unroll]] for (uint lane = 0; lane < 4; ++lane)
            if (l + lane < p.x_size[3]) value[lane] = stored(at + (l + lane) * p.x_stride[3]);
    }
    y[(p.y_offset + i * p.y_stride[0] + j * p.y_stride[1] + k * p.y_stride[2] + l) / 4] =
        store(p.scale * value);
}
