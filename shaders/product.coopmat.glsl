// The product that linear.coopmat and conv2d.coopmat share: sums[m][n] = sum_k x[m][k] W[n][k], fp16
// in, fp32 sums, for a workgroup's BM x BN of them. A subgroup holds WM x WN sums in cooperative
// matrices; tiles of x and W, BK columns wide, pass through shared memory, and the next AHEAD tiles are
// on their way into registers while one is multiplied.
//
// Where the result has too few tiles to fill the device, SPLITS workgroups share one, each with some of
// the columns of x and W. They leave their sums in memory; whoever comes last adds them up, in the same
// order every time.
//
// Whoever includes this says how x is found and what becomes of the sums, and declares splits[] and
// arrived[], one word a tile, zero before and after:
//   void begin_rows()                        once, before the first load
//   uvec4 load_x(uint i, uint row, uint k8)  eight elements of row `row` of the tile, the i-th load
//                                            of this thread; zeros from k8 = k8_end on
//   uvec4 load_w(uint row, uint k8)          eight elements of row `row` of the tile, likewise
//   vec4 bias_of(uint n)                     of columns n .. n + 3
//   vec4 ask(uint m, uint n)                 what else finish() will need from memory
//   void finish(uint m, uint n, vec4 sum, vec4 asked)  four sums, at row m, columns n .. n + 3
// m and n may lie past the edges. Where a load is conditional, drivers wait for it at once: bias_of()
// and ask() load something in any case, and finish() stores or does not.

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
layout(constant_id = 10) const uint SPLITS = 1;

// Tiles on their way. NVIDIA's driver keeps more of them in memory, not in registers: 1.4 times slower.
const uint AHEAD = 1;
const uint K8 = BK / 8;   // loads of eight halves in a row of a tile
const uint ROW = K8 + 1;  // a row in shared memory: one load longer, against bank conflicts
const uint X_LOADS = BM * K8 / THREADS, W_LOADS = BN * K8 / THREADS;
const uint W_TILE = BM * ROW;  // where the tile of W begins
const uint LANES = THREADS / SUBGROUPS;
const uint WN4 = WN / 4;
const uint OUT_ROW = WN4 + 1;  // of a subgroup's sums on their way out, in fours
const uint PARTS = FM * WN4 / LANES;
const uint PART_ROWS = LANES / WN4;
const bool ASK_EARLY = WM / FM * PARTS <= 8;  // there are registers to spare during the product

shared uvec4 tiles[(BM + BN) * ROW];
shared bool is_last;

uint k8_end;  // where this workgroup's columns of x and W end, in eights

void begin_rows();
uvec4 load_x(uint i, uint row, uint k8);
uvec4 load_w(uint row, uint k8);
vec4 bias_of(uint n);
vec4 ask(uint m, uint n);
void finish(uint m, uint n, vec4 sum, vec4 asked);

// The batch, and which part of the columns of x and W.
uint batch_index() { return SPLITS == 1 ? gl_WorkGroupID.z : gl_WorkGroupID.z / SPLITS; }
uint split_index() { return SPLITS == 1 ? 0 : gl_WorkGroupID.z % SPLITS; }

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

    // What this thread will write: four columns, of one row in PART_ROWS.
    const uint m0 = gl_WorkGroupID.y * BM + warp_m * WM + gl_SubgroupInvocationID / WN4;
    const uint n0 = gl_WorkGroupID.x * BN + warp_n * WN + gl_SubgroupInvocationID % WN4 * 4;
    vec4 bias;
    vec4 asked[WM / FM][PARTS];
    if (ASK_EARLY) bias = bias_of(n0);
    if (SPLITS == 1 && ASK_EARLY)
        [[unroll]] for (uint i = 0; i < WM / FM; ++i)
            [[unroll]] for (uint part = 0; part < PARTS; ++part)
                asked[i][part] = ask(m0 + i * FM + part * PART_ROWS, n0);

    // This workgroup's columns: whole tiles, the last one of all may be less.
    const uint share = (all_k8 + SPLITS * K8 - 1) / (SPLITS * K8) * K8;
    const uint begin = split_index() * share;
    k8_end = min(begin + share, all_k8);

    uvec4 next_x[AHEAD][X_LOADS], next_w[AHEAD][W_LOADS];
    [[unroll]] for (uint t = 0; t < AHEAD; ++t) {
        [[unroll]] for (uint i = 0; i < X_LOADS; ++i)
            next_x[t][i] = load_x(i, (me + i * THREADS) / K8, begin + t * K8 + me % K8);
        [[unroll]] for (uint i = 0; i < W_LOADS; ++i)
            next_w[t][i] = load_w((me + i * THREADS) / K8, begin + t * K8 + me % K8);
    }

    for (uint k8 = begin; k8 < k8_end; k8 += AHEAD * K8)
        [[unroll]] for (uint t = 0; t < AHEAD; ++t)
            if (k8 + t * K8 < k8_end) {
                barrier();  // nobody reads the last tile any more
                [[unroll]] for (uint i = 0; i < X_LOADS; ++i)
                    tiles[(me + i * THREADS) / K8 * ROW + me % K8] = next_x[t][i];
                [[unroll]] for (uint i = 0; i < W_LOADS; ++i)
                    tiles[W_TILE + (me + i * THREADS) / K8 * ROW + me % K8] = next_w[t][i];
                barrier();
                const uint later = k8 + (t + AHEAD) * K8;
                if (later < k8_end) {
                    [[unroll]] for (uint i = 0; i < X_LOADS; ++i)
                        next_x[t][i] = load_x(i, (me + i * THREADS) / K8, later + me % K8);
                    [[unroll]] for (uint i = 0; i < W_LOADS; ++i)
                        next_w[t][i] = load_w((me + i * THREADS) / K8, later + me % K8);
                }
                [[unroll]] for (uint k = 0; k < BK / FK; ++k) {
                    coopmat<float16_t, gl_ScopeSubgroup, FM, FK, gl_MatrixUseA> x[WM / FM];
                    [[unroll]] for (uint i = 0; i < WM / FM; ++i)
                        coopMatLoad(x[i], tiles, (warp_m * WM + i * FM) * ROW + k * FK / 8, ROW,
                                    gl_CooperativeMatrixLayoutRowMajor);
                    [[unroll]] for (uint j = 0; j < WN / FN; ++j) {
                        coopmat<float16_t, gl_ScopeSubgroup, FK, FN, gl_MatrixUseB> w;
                        coopMatLoad(w, tiles, W_TILE + (warp_n * WN + j * FN) * ROW + k * FK / 8,
                                    ROW, gl_CooperativeMatrixLayoutColumnMajor);
                        [[unroll]] for (uint i = 0; i < WM / FM; ++i)
                            sums[i][j] = coopMatMulAdd(x[i], w, sums[i][j]);
                    }
                }
            }

    // Which thread holds which sum is the driver's secret: a subgroup lays rows of its sums out in
    // shared memory, where no tile is any more, and takes them from there in fours. (Storing matrices
    // as they are is slower on NVIDIA, and has no edges.)
    const uint result_at = gl_SubgroupID * FM * OUT_ROW;
    const uint mine_at = result_at + gl_SubgroupInvocationID / WN4 * OUT_ROW +
                         gl_SubgroupInvocationID % WN4;
    const uint tile = (batch_index() * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x +
                      gl_WorkGroupID.x;
    if (!ASK_EARLY) bias = bias_of(n0);
    if (SPLITS == 1 && !ASK_EARLY)
        [[unroll]] for (uint part = 0; part < PARTS; ++part)
            asked[0][part] = ask(m0 + part * PART_ROWS, n0);
    barrier();
    [[unroll]] for (uint i = 0; i < WM / FM; ++i) {
        if (SPLITS == 1 && !ASK_EARLY && i + 1 < WM / FM)
            [[unroll]] for (uint part = 0; part < PARTS; ++part)
                asked[i + 1][part] = ask(m0 + (i + 1) * FM + part * PART_ROWS, n0);
        [[unroll]] for (uint j = 0; j < WN / FN; ++j)
            coopMatStore(sums[i][j], tiles, result_at + j * FN / 4, OUT_ROW,
                         gl_CooperativeMatrixLayoutRowMajor);
        subgroupMemoryBarrierShared();
        subgroupBarrier();
        vec4 sum[PARTS];
        [[unroll]] for (uint part = 0; part < PARTS; ++part)
            sum[part] = uintBitsToFloat(tiles[mine_at + part * PART_ROWS * OUT_ROW]);
        subgroupBarrier();
        [[unroll]] for (uint part = 0; part < PARTS; ++part)
            if (SPLITS == 1)
                finish(m0 + i * FM + part * PART_ROWS, n0, sum[part] + bias, asked[i][part]);
            else
                splits[(tile * SPLITS + split_index()) * (BM * BN / 4) +
                       ((i * SUBGROUPS + gl_SubgroupID) * PARTS + part) * LANES +
                       gl_SubgroupInvocationID] = sum[part];
    }
    if (SPLITS == 1) return;

    memoryBarrierBuffer();
    barrier();
    if (me == 0) {
        is_last = atomicAdd(arrived[tile], 1) == SPLITS - 1;
        if (is_last) arrived[tile] = 0;
    }
    barrier();
    if (!is_last) return;
    memoryBarrierBuffer();
    [[unroll]] for (uint i = 0; i < WM / FM; ++i)
        [[unroll]] for (uint part = 0; part < PARTS; ++part) {
            const uint m = m0 + i * FM + part * PART_ROWS;
            const vec4 last_asked = ask(m, n0);
            vec4 sum = bias;
            [[unroll]] for (uint s = 0; s < SPLITS; ++s)
                sum += splits[(tile * SPLITS + s) * (BM * BN / 4) +
                              ((i * SUBGROUPS + gl_SubgroupID) * PARTS + part) * LANES +
                              gl_SubgroupInvocationID];
            finish(m, n0, sum, last_asked);
        }
}
