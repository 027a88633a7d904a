#version 460
// Makes three directions orthonormal (Gram-Schmidt):
//   basis[k] = v / |v|,   v = turned[k] - sum over l < k of (turned[k] . basis[l]) basis[l]
// turned and basis (3, columns). If v is zero, an axis takes its place, which can still be turned.
// One workgroup, whose threads share the columns.
#extension GL_GOOGLE_include_directive : require
#include "shaders/maps/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) readonly buffer Turned { vec4 turned[]; };
layout(binding = 1) buffer Basis { vec4 basis[]; };
layout(push_constant) uniform Push { PrincipalUnitParams p; };

#include "shaders/common/reduce.glsl"

// A thread reads only what it has written itself: no barrier is needed between directions.
void main() {
    const uint me = gl_LocalInvocationID.x, fours = padded(p.columns) / 4;
    for (uint k = 0; k < 3; ++k) {
        const uint from = row_start(p.turned, 0, k) / 4, to = row_start(p.basis, 0, k) / 4;
        float whole = 0.0;
        for (uint j = me; j < fours; j += THREADS) {
            const vec4 v = turned[from + j];
            basis[to + j] = v;
            whole += dot(v, v);
        }
        whole = workgroup_sum(whole);
        for (uint l = 0; l < k; ++l) {
            const uint other = row_start(p.basis, 0, l) / 4;
            float along = 0.0;
            for (uint j = me; j < fours; j += THREADS)
                along += dot(basis[to + j], basis[other + j]);
            along = workgroup_sum(along);
            for (uint j = me; j < fours; j += THREADS) basis[to + j] -= along * basis[other + j];
        }
        float rest = 0.0;
        for (uint j = me; j < fours; j += THREADS) rest += dot(basis[to + j], basis[to + j]);
        rest = workgroup_sum(rest);
        // Where a direction lies along the others, the rest is only rounding errors.
        const bool something = rest > 1e-10 * whole && rest > 1e-30;
        for (uint j = me; j < fours; j += THREADS) {
            vec4 axis = vec4(0.0);
            [[unroll]] for (uint i = 0; i < 4; ++i) axis[i] = 4 * j + i == k ? 1.0 : 0.0;
            basis[to + j] =
                something ? basis[to + j] * inversesqrt(rest) : before(axis, 4 * j, p.columns);
        }
    }
}
