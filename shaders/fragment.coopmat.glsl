// A factor of a product out of a fragment of W as its threads hold it: see fragments.coopmat.comp.
// Whoever includes this has declared FK, FN and EIGHTS.
#define RIGHT_FACTOR coopmat<float16_t, gl_ScopeSubgroup, FK, FN, gl_MatrixUseB>

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
