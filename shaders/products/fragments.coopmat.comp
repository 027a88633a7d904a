#version 460
// requires: GL_KHR_cooperative_matrix
// W (n, k) f16 as products on cooperative matrices read it: in fragments of FN x FK, each as the
// threads of a subgroup hold it, so that a thread fetches its part in whole eights. The driver
// decides which thread holds which element; this kernel finds out by loading a fragment as a
// matrix. Fragments of the same columns of W lie side by side; past the edges of W there are zeros.
// Rows of W are in the order that IN_FOURS says: see fragment.coopmat.glsl. Where EIGHTS is 0, it
// reports instead how many elements of a fragment a thread holds, whether sums (FM x FN) have the
// same layout as the factor that W is multiplied with (FM x FK), and whether the layout of sums
// gives a thread four neighbours. A workgroup is a subgroup and makes one fragment: the first axis
// is n, the second k.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "shaders/products/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LANES = 32;
layout(constant_id = 1) const uint FM = 16;
layout(constant_id = 2) const uint FN = 16;
layout(constant_id = 3) const uint FK = 16;
layout(constant_id = 4) const uint EIGHTS = 1;
layout(constant_id = 5) const uint IN_FOURS = 0;

layout(binding = 0) readonly buffer W { uvec4 w[]; };
layout(binding = 1) writeonly buffer Y { uvec4 y[]; };
layout(push_constant) uniform Push { FragmentsParams p; };

#include "shaders/products/fragment.coopmat.glsl"

const uint FK8 = FK / 8;
shared uvec4 block[FN * FK8];
const uint ASKED = EIGHTS == 0 ? FM * FK : 1;
shared float16_t factor_numbers[ASKED];
shared float sum_numbers[ASKED];

// A matrix of sums whose elements are their own numbers, row by row; held_alike() compares a factor
// with the same numbers.
PRODUCT_SUMS numbered_sums() {
    for (uint i = gl_LocalInvocationIndex; i < ASKED; i += LANES) {
        factor_numbers[i] = float16_t(i);
        sum_numbers[i] = float(i);
    }
    barrier();
    PRODUCT_SUMS sums;
    coopMatLoad(sums, sum_numbers, 0, FN, gl_CooperativeMatrixLayoutRowMajor);
    return sums;
}

bool held_alike(PRODUCT_SUMS sums) {
    coopmat<float16_t, gl_ScopeSubgroup, FM, FK, gl_MatrixUseA> factor;
    coopMatLoad(factor, factor_numbers, 0, FK, gl_CooperativeMatrixLayoutRowMajor);
    if (factor.length() != sums.length()) return false;
    bool same = true;
    for (uint e = 0; e < sums.length(); ++e) same = same && float(factor[e]) == sums[e];
    return subgroupAll(same);
}

// Whether a thread holds two rows and, in each, two pairs of neighbouring columns, so that four
// threads have half a row.
bool held_in_fours(PRODUCT_SUMS sums) {
    if (FM != 16 || FN != 16 || LANES != 32 || sums.length() != 8) return false;
    bool so = true;
    for (uint e = 0; e < sums.length(); ++e) {
        const uint m = four_row(e / 4), n = e / 2 % 2 * 8 + gl_SubgroupInvocationID % 4 * 2 + e % 2;
        so = so && sums[e] == float(m * FN + n);
    }
    return subgroupAll(so);
}

void main() {
    const uint lane = gl_LocalInvocationIndex;
    if (EIGHTS == 0) {
        RIGHT_FACTOR any;
        bool alike = false, in_fours = false;
        if (FN == FK) {
            const PRODUCT_SUMS sums = numbered_sums();
            alike = held_alike(sums);
            in_fours = held_in_fours(sums);
        }
        y[0] = uvec4(any.length(), alike ? 1 : 0, in_fours ? 1 : 0, 0);
        return;
    }
    for (uint at = lane; at < FN * FK8; at += LANES) {
        const uint n = gl_WorkGroupID.x * FN + row_at(at / FK8), k8 = gl_WorkGroupID.y * FK8 + at % FK8;
        block[at] = n < p.n && k8 < padded(p.k) / 8 ? w[n * (p.w_stride / 8) + k8] : uvec4(0);
    }
    barrier();
    RIGHT_FACTOR fragment;
    coopMatLoad(fragment, block, 0, FK8, gl_CooperativeMatrixLayoutColumnMajor);
    const uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * EIGHTS;
    [[unroll]] for (uint e = 0; e < EIGHTS; ++e) {
        uvec4 eight;
        [[unroll]] for (uint pair = 0; pair < 4; ++pair)
            eight[pair] = packFloat2x16(
                f16vec2(fragment[8 * e + 2 * pair], fragment[8 * e + 2 * pair + 1]));
        y[(first + e) * LANES + lane] = eight;
    }
}
