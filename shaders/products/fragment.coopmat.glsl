// Fragments of W, and the sums of a product with them. The including kernel has declared FM, FN, FK,
// EIGHTS and IN_FOURS.
#define RIGHT_FACTOR coopmat<float16_t, gl_ScopeSubgroup, FK, FN, gl_MatrixUseB>
#define PRODUCT_SUMS coopmat<float, gl_ScopeSubgroup, FM, FN, gl_MatrixUseAccumulator>

// Makes a factor of a product from a fragment of W as threads hold it: see fragments.coopmat.comp.
RIGHT_FACTOR right_factor(uvec4 held[EIGHTS]) {
    RIGHT_FACTOR factor;
    [[unroll]] for (uint e = 0; e < EIGHTS; ++e)
        [[unroll]] for (uint pair = 0; pair < 4; ++pair) {
            const f16vec2 two = unpackFloat2x16(held[e][pair]);
            factor[8 * e + 2 * pair] = two.x;
            factor[8 * e + 2 * pair + 1] = two.y;
        }
    return factor;
}

// IN_FOURS: a thread holds, in each of two rows of 16 x 16 sums, a pair of columns of the left half and
// the same pair of the right half. The rows of W are in such an order that these are four neighbours of
// the result. So sums can be written without a detour through shared memory.

// Which row of W is at a place of the 16 in a fragment.
uint row_at(uint place) {
    return IN_FOURS != 0 ? place % 8 / 2 * 4 + place / 8 * 2 + place % 2 : place;
}
// The first or second row of this thread's sums, and the first column of a four.
uint four_row(uint which) { return gl_SubgroupInvocationID / 4 + which * 8; }
uint four_column() { return gl_SubgroupInvocationID % 4 * 4; }
vec4 four_of(PRODUCT_SUMS sums, uint which) {
    return vec4(sums[4 * which], sums[4 * which + 1], sums[4 * which + 2], sums[4 * which + 3]);
}
