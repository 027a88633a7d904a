// What becomes of a matrix of sums before it is stored: activation, then the storage type, saturated
// as store() does it. Both are done element by element, wherever the elements are.

#if OUT == f16
#define Stored coopmat<float16_t, gl_ScopeSubgroup, FM, FN, gl_MatrixUseAccumulator>
#else
#define Stored Sums
#endif

Stored to_stored(Sums sums) {
    if (ACTIVATION != activation_none)
        for (int i = 0; i < sums.length(); ++i) sums[i] = activate(sums[i]);
#if OUT == f16
    for (int i = 0; i < sums.length(); ++i) sums[i] = clamp(sums[i], -65504.0, 65504.0);
#endif
    return Stored(sums);
}
