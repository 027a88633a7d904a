// The product that linear.coopmat and conv2d.coopmat share: sums[m][n] = sum_k x[m][k] W[n][k], fp16
// in, fp32 sums, for a workgroup's BM x BN of them. A subgroup holds WM x WN sums in cooperative
// matrices; tiles of x and W, BK columns wide, pass through shared memory, and the next tile is on
// its way into registers while the current one is multiplied.
//
// Whoever includes this says how x is found and what becomes of the sums:
//   void begin_rows()                        once, before the first load
//   uvec4 load_x(uint i, uint row, uint k8)  eight elements of row `row` of the tile, the i-th load
//                                            of this thread
//   uvec4 load_w(uint row, uint k8)          eight elements of row `row` of the tile
//   void finish(uint m, uint n, vec4 sum)    four sums, at row m and columns n .. n + 3

#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 256;
layout(constant_id = 1) const uint SUBGROUPS = 8;
layout(constant_id = 2) const uint BM = 128;
layout(constant_id = 3) const uint BN = 128;
layout(constant_id = 4) const uint BK = 64;
layout(constant_id = 5) const uint WM = 64;
layout(constant_id = 6) const uint WN = 32;
layout(constant_id = 7) const uint FM = 16;  // what the device multiplies at once
layout(constant_id = 8) const uint FN = 16;
layout(constant_id = 9) const uint FK = 16;

const uint K8 = BK / 8;   // loads of eight halves in a row of a tile
const uint ROW = K8 + 1;  // a row in shared memory: one load longer, against bank conflicts
const uint X_LOADS = BM * K8 / THREADS, W_LOADS = BN * K8 / THREADS;
const uint W_TILE = BM * ROW;  // where the tile of W begins
const uint OUT_ROW = FN + 4;
const uint LANES = THREADS / SUBGROUPS;

shared uvec4 tiles[(BM + BN) * ROW];
shared float result[SUBGROUPS * FM * OUT_ROW];  // a matrix of each subgroup on its way out

void begin_rows();
uvec4 load_x(uint i, uint row, uint k8);
uvec4 load_w(uint row, uint k8);
void finish(uint m, uint n, vec4 sum);

// all_k8: columns of x and W in eights.
void product(uint all_k8) {
    const uint me = gl_LocalInvocationIndex;
    const uint warp_n = gl_SubgroupID % (BN / WN), warp_m = gl_SubgroupID / (BN / WN);
    begin_rows();

    coopmat<float, gl_ScopeSubgroup, FM, FN, gl_MatrixUseAccumulator> sums[WM / FM][WN / FN];
    [[unroll]] for (uint i = 0; i < WM / FM; ++i)
        [[unroll]] for (uint j = 0; j < WN / FN; ++j)
            sums[i][j] =
                coopmat<float, gl_ScopeSubgroup, FM, FN, gl_MatrixUseAccumulator>(0.0);

    uvec4 next_x[X_LOADS], next_w[W_LOADS];
    [[unroll]] for (uint i = 0; i < X_LOADS; ++i)
        next_x[i] = load_x(i, (me + i * THREADS) / K8, me % K8);
    [[unroll]] for (uint i = 0; i < W_LOADS; ++i)
        next_w[i] = load_w((me + i * THREADS) / K8, me % K8);

    for (uint k8 = 0; k8 < all_k8; k8 += K8) {
        barrier();  // nobody reads the last tile any more
        [[unroll]] for (uint i = 0; i < X_LOADS; ++i)
            tiles[(me + i * THREADS) / K8 * ROW + me % K8] = next_x[i];
        [[unroll]] for (uint i = 0; i < W_LOADS; ++i)
            tiles[W_TILE + (me + i * THREADS) / K8 * ROW + me % K8] = next_w[i];
        barrier();
        if (k8 + K8 < all_k8) {
            [[unroll]] for (uint i = 0; i < X_LOADS; ++i)
                next_x[i] = load_x(i, (me + i * THREADS) / K8, k8 + K8 + me % K8);
            [[unroll]] for (uint i = 0; i < W_LOADS; ++i)
                next_w[i] = load_w((me + i * THREADS) / K8, k8 + K8 + me % K8);
        }
        [[unroll]] for (uint k = 0; k < BK / FK; ++k) {
            coopmat<float16_t, gl_ScopeSubgroup, FM, FK, gl_MatrixUseA> x[WM / FM];
            [[unroll]] for (uint i = 0; i < WM / FM; ++i)
                coopMatLoad(x[i], tiles, (warp_m * WM + i * FM) * ROW + k * FK / 8, ROW,
                            gl_CooperativeMatrixLayoutRowMajor);
            [[unroll]] for (uint j = 0; j < WN / FN; ++j) {
                coopmat<float16_t, gl_ScopeSubgroup, FK, FN, gl_MatrixUseB> w;
                coopMatLoad(w, tiles, W_TILE + (warp_n * WN + j * FN) * ROW + k * FK / 8, ROW,
                            gl_CooperativeMatrixLayoutColumnMajor);
                [[unroll]] for (uint i = 0; i < WM / FM; ++i)
                    sums[i][j] = coopMatMulAdd(x[i], w, sums[i][j]);
            }
        }
    }

    // Which thread holds which sum is the driver's secret: a matrix is laid out in shared memory and
    // taken from there in fours. (Storing matrices as they are is slower on NVIDIA, and has no edges.)
    const uint m0 = gl_WorkGroupID.y * BM + warp_m * WM, n0 = gl_WorkGroupID.x * BN + warp_n * WN;
    const uint result_at = gl_SubgroupID * FM * OUT_ROW;
    [[unroll]] for (uint i = 0; i < WM / FM; ++i)
        [[unroll]] for (uint j = 0; j < WN / FN; ++j) {
            coopMatStore(sums[i][j], result, result_at, OUT_ROW,
                         gl_CooperativeMatrixLayoutRowMajor);
            subgroupMemoryBarrierShared();
            subgroupBarrier();
            [[unroll]] for (uint part = 0; part < FM * FN / 4 / LANES; ++part) {
                const uint at = part * LANES + gl_SubgroupInvocationID;
                const uint row = at / (FN / 4), column = at % (FN / 4) * 4;
                const uint from = result_at + row * OUT_ROW + column;
                finish(m0 + i * FM + row, n0 + j * FN + column,
                       vec4(result[from], result[from + 1], result[from + 2], result[from + 3]));
            }
            subgroupBarrier();
        }
}
