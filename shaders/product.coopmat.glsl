// The product that linear.coopmat and conv2d.coopmat share: sums[m][n] = sum_k x[m][k] W[n][k], fp16
// in, fp32 sums, for a workgroup's BM x BN of them. A subgroup holds WM x WN sums in cooperative
// matrices; tiles of x and W, BK columns wide, pass through shared memory in two buffers, and the
// next tile is on its way into registers while the current one is multiplied.
//
// Whoever includes this says how x is found and what becomes of the sums:
//   void begin_rows()                          once, before the first load
//   uvec4 load_x(uint i, uint row, uint k8)    eight elements of row `row` of the tile, the i-th
//                                              load of this thread
//   uvec4 load_w(uint row, uint k8)            eight elements of row `row` of the tile
//   bool whole(uint m, uint n)                 whether the result has all of the matrix at m, n
//   Sums begin_sums(uint m, uint n)            what such a matrix starts from: bias, residual
//   void end_sums(uint m, uint n, Sums sums)   stores such a matrix
//   void finish(uint m, uint n, vec4 sum)      stores four elements at an edge of the result, whose
//                                              sums start from zero

#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 128;
layout(constant_id = 1) const uint BM = 128;
layout(constant_id = 2) const uint BN = 128;
layout(constant_id = 3) const uint WM = 64;
layout(constant_id = 4) const uint WN = 64;
layout(constant_id = 5) const uint FM = 16;  // what the device multiplies at once
layout(constant_id = 6) const uint FN = 16;
layout(constant_id = 7) const uint FK = 16;
layout(constant_id = 8) const uint SUBGROUPS = 4;

const uint BK = 32;
const uint K8 = BK / 8;    // loads of eight halves in a row of a tile
const uint ROW = K8 + 1;   // a row in shared memory: one load longer, against bank conflicts
const uint X_LOADS = BM * K8 / THREADS, W_LOADS = BN * K8 / THREADS;
const uint X_TILE = BM * ROW, W_TILE = BN * ROW;
const uint BUFFER = X_TILE + W_TILE;
const uint EDGE_ROW = FN + 4;

shared uvec4 tiles[2 * BUFFER];
shared float edge[SUBGROUPS * FM * EDGE_ROW];  // where a subgroup lays out a matrix at an edge

#define Sums coopmat<float, gl_ScopeSubgroup, FM, FN, gl_MatrixUseAccumulator>

void begin_rows();
uvec4 load_x(uint i, uint row, uint k8);
uvec4 load_w(uint row, uint k8);
bool whole(uint m, uint n);
Sums begin_sums(uint m, uint n);
void end_sums(uint m, uint n, Sums sums);
void finish(uint m, uint n, vec4 sum);

// all_k8: columns of x and W in eights.
void product(uint all_k8) {
    const uint me = gl_LocalInvocationIndex;
    const uint warp_n = gl_SubgroupID % (BN / WN), warp_m = gl_SubgroupID / (BN / WN);
    const uint m0 = gl_WorkGroupID.y * BM + warp_m * WM, n0 = gl_WorkGroupID.x * BN + warp_n * WN;
    begin_rows();

    Sums sums[WM / FM][WN / FN];
    [[unroll]] for (uint i = 0; i < WM / FM; ++i)
        [[unroll]] for (uint j = 0; j < WN / FN; ++j) {
            sums[i][j] = Sums(0.0);
            if (whole(m0 + i * FM, n0 + j * FN))
                sums[i][j] = begin_sums(m0 + i * FM, n0 + j * FN);
        }

    uvec4 next_x[X_LOADS], next_w[W_LOADS];
    [[unroll]] for (uint i = 0; i < X_LOADS; ++i)
        next_x[i] = load_x(i, (me + i * THREADS) / K8, me % K8);
    [[unroll]] for (uint i = 0; i < W_LOADS; ++i)
        next_w[i] = load_w((me + i * THREADS) / K8, me % K8);

    uint buffer_at = 0;
    for (uint k8 = 0; k8 < all_k8; k8 += K8) {
        [[unroll]] for (uint i = 0; i < X_LOADS; ++i)
            tiles[buffer_at + (me + i * THREADS) / K8 * ROW + me % K8] = next_x[i];
        [[unroll]] for (uint i = 0; i < W_LOADS; ++i)
            tiles[buffer_at + X_TILE + (me + i * THREADS) / K8 * ROW + me % K8] = next_w[i];
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
                coopMatLoad(x[i], tiles, buffer_at + (warp_m * WM + i * FM) * ROW + k * FK / 8, ROW,
                            gl_CooperativeMatrixLayoutRowMajor);
            [[unroll]] for (uint j = 0; j < WN / FN; ++j) {
                coopmat<float16_t, gl_ScopeSubgroup, FK, FN, gl_MatrixUseB> w;
                coopMatLoad(w, tiles,
                            buffer_at + X_TILE + (warp_n * WN + j * FN) * ROW + k * FK / 8, ROW,
                            gl_CooperativeMatrixLayoutColumnMajor);
                [[unroll]] for (uint i = 0; i < WM / FM; ++i)
                    sums[i][j] = coopMatMulAdd(x[i], w, sums[i][j]);
            }
        }
        buffer_at = BUFFER - buffer_at;  // the other one; nobody reads it any more
    }

    // Which thread holds which sum is the driver's secret. A whole matrix is stored as it is; one at
    // an edge is laid out in shared memory and taken from there in fours.
    const uint edge_at = gl_SubgroupID * FM * EDGE_ROW;
    [[unroll]] for (uint i = 0; i < WM / FM; ++i)
        [[unroll]] for (uint j = 0; j < WN / FN; ++j) {
            const uint m = m0 + i * FM, n = n0 + j * FN;
            if (whole(m, n)) {
                end_sums(m, n, sums[i][j]);
            } else {
                coopMatStore(sums[i][j], edge, edge_at, EDGE_ROW,
                             gl_CooperativeMatrixLayoutRowMajor);
                subgroupMemoryBarrierShared();
                subgroupBarrier();
                for (uint at = gl_SubgroupInvocationID; at < FM * FN / 4; at += gl_SubgroupSize) {
                    const uint row = at / (FN / 4), column = at % (FN / 4) * 4;
                    const uint from = edge_at + row * EDGE_ROW + column;
                    finish(m + row, n + column,
                           vec4(edge[from], edge[from + 1], edge[from + 2], edge[from + 3]));
                }
                subgroupBarrier();
            }
        }
}
