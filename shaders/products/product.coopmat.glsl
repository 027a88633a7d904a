// The product that linear.coopmat and conv2d.coopmat share: sums[m][n] = sum_k x[m][k] W[n][k], fp16
// in, fp32 sums, for a workgroup's BM x BN of them. A subgroup holds WM x WN sums in cooperative
// matrices. Tiles of x, BK columns wide, pass through shared memory; the next one is on its way into
// registers while one is multiplied. W comes in fragments as threads hold them (see
// fragments.coopmat.comp), from memory straight into registers, AHEAD steps before it is
// multiplied: shared memory is the bottleneck of such products, and W bypasses it.
//
// A subgroup waits for memory half of its time. Where there are too few workgroups to fill that
// time, each has SHARES times as many subgroups. Each share has some of the columns of x and W; in
// the end they add up their sums in shared memory, which requires IN_FOURS.
//
// Where the result has too few tiles to fill the device, SPLITS workgroups share one in the same
// way (split-K). They write their sums to memory, and the last one to arrive adds them up, always
// in the same order.
//
// The including kernel defines how x is read and what happens to the sums, and declares splits[]
// and arrived[], one word a tile, zero before and after:
//   void begin_rows()               once, before the first load
//   void begin_scales()             once, after it
//   vec4 scaled(uint m, vec4 sum)   a row's sums before the bias is added
//   uvec4 load_x(uint i, uint k8)   eight elements of the i-th row that this thread loads; sets bit i
//                                   of `blank` where they lie outside of x and are zeros
//   vec4 bias_of(uint n)            of columns n .. n + 3
//   const bool ASKS                 whether finish() needs anything else from memory
//   vec4 ask(uint m, uint n)        that, for columns n .. n + 3
//   void finish(uint m, uint n, inout vec4 sum[2], vec4 asked[2])  FOURS times four sums at row m,
//                                   columns n .. n + 3 and n + FN .. n + FN + 3, and what becomes of
//                                   them; put() stores it
//   const bool NOTES                whether the input of the next norm is written, too: fp16 and moments
//   uvec2 half_of(vec4 v), void leave_halves(uint m, uint n, uvec4 eight)
//   void leave_moments(uint m, vec2 moments)
// Rows and columns may lie past the edges. Where a load is conditional, drivers wait for it at once:
// load_x(), bias_of() and ask() always load, from a valid place; finish() stores only inside.
//
// x and W are read by their addresses: see eights.glsl.

#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

layout(local_size_x_id = 0) in;
MATRIX_TILE_CONSTANTS(SACCADE_SPECIALISED)

const uint K8 = BK / 8;   // loads of eight halves in a row of a tile
const uint ROW = K8 + 1;  // a row in shared memory: one load longer, against bank conflicts
const uint LANES = THREADS / SUBGROUPS;
const uint SHARE_SUBGROUPS = SUBGROUPS / SHARES, SHARE_THREADS = THREADS / SHARES;
const uint X_LOADS = BM * K8 / SHARE_THREADS;
const uint FRAGMENT = EIGHTS * LANES;  // of W, in eights
// The epilogue takes sums in parts, of which a thread has four neighbours, or four of each of two
// fragments: as it holds them (IN_FOURS: see fragment.coopmat.glsl) or else through shared memory.
const uint FRAGMENTS = WN / FN;  // of a subgroup, side by side
#if OUT == f16
const uint FOURS = IN_FOURS == 2 ? 2 - FRAGMENTS % 2 : 1;  // (RADV of Mesa 25 crashes on an && here)
#else
const uint FOURS = 1;
#endif
const uint GROUPS = IN_FOURS != 0 ? FRAGMENTS / FOURS : 1;  // of fragments
const uint WN4 = WN / 4;
const uint OUT_ROW = WN4 + 1;        // of a subgroup's sums in shared memory, in fours
const uint PART_ROWS = LANES / WN4;  // read by a subgroup at once; its other threads idle
const uint PARTS = IN_FOURS != 0 ? 2 * GROUPS : FM / PART_ROWS;  // of FM rows
const uint ALL_PARTS = WM / FM * PARTS;                          // of a subgroup
// Parts that are written in one step of a loop: more have more loads in flight, fewer take less
// code.
const uint STEP_LIMIT = IN_FOURS != 0 ? PARTS : ASKS ? 4 : 2;
const uint STEP = PARTS < STEP_LIMIT ? PARTS : STEP_LIMIT;
const uint STEPS = PARTS / STEP;
const bool ASK_EARLY = ALL_PARTS * FOURS <= 8;  // there are registers to spare during the product
const uint TILE_SIZE = BM * ROW, OUT_SIZE = IN_FOURS != 0 ? 0 : SUBGROUPS * FM * OUT_ROW;
const uint MEETING_SIZE = (SHARES - 1) * BM * BN / 4;
const uint LARGER_SIZE = OUT_SIZE > MEETING_SIZE ? OUT_SIZE : MEETING_SIZE;

shared uvec4 tile[SHARES * TILE_SIZE > LARGER_SIZE ? SHARES * TILE_SIZE : LARGER_SIZE];
shared bool is_last;

#include "shaders/common/eights.glsl"

#include "shaders/products/fragment.coopmat.glsl"

uint blank = 0;

void begin_rows();
void begin_scales();
vec4 scaled(uint m, vec4 sum);
uvec4 load_x(uint i, uint k8);
vec4 bias_of(uint n);
vec4 ask(uint m, uint n);
void finish(uint m, uint n, inout vec4 sum[2], vec4 asked[2]);
uvec2 half_of(vec4 v);
void leave_halves(uint m, uint n, uvec4 eight);
void leave_moments(uint m, vec2 moments);

// The batch, and the part of the columns of x and W.
uint batch_index() { return SPLITS == 1 ? gl_WorkGroupID.z : gl_WorkGroupID.z / SPLITS; }
uint split_index() { return SPLITS == 1 ? 0 : gl_WorkGroupID.z % SPLITS; }

// The share of this subgroup, and its index in the share.
uint share_index() { return SHARES == 1 ? 0 : gl_SubgroupID / SHARE_SUBGROUPS; }
uint subgroup_index() { return SHARES == 1 ? gl_SubgroupID : gl_SubgroupID % SHARE_SUBGROUPS; }
uint warp_n() { return gl_SubgroupID % (BN / WN); }
uint first_fragment() { return (gl_WorkGroupID.x * BN + warp_n() * WN) / FN; }

// The share for which this thread loads x, its index among the threads that do, and the row of its
// i-th load in the tile.
uint load_share() { return SHARES == 1 ? 0 : gl_LocalInvocationIndex / SHARE_THREADS; }
uint load_index() {
    return SHARES == 1 ? gl_LocalInvocationIndex : gl_LocalInvocationIndex % SHARE_THREADS;
}
uint load_row(uint i) { return (load_index() + i * SHARE_THREADS) / K8; }

// Where a share writes a thread's first or second four of a fragment, the j-th of row i, for the
// share whose index is smaller by `before`.
uint meeting_at(uint i, uint before, uint j, uint four) {
    return ((((i * (SHARES - 1) + before - 1) * SHARE_SUBGROUPS + subgroup_index()) * FRAGMENTS + j) *
                2 + four) * LANES + gl_SubgroupInvocationID;
}

// Sums are written in steps of some parts. Shares take turns at rows of fragments.
uint own_steps() { return (WM / FM + SHARES - 1 - share_index()) / SHARES * STEPS; }
uint first_part(uint step) {
    return (step / STEPS * SHARES + share_index()) * PARTS + step % STEPS * STEP;
}
// Where a part is, from this thread's first row and columns on.
uint part_row(uint part) {
    return IN_FOURS != 0 ? part / PARTS * FM + part % 2 * (FM / 2) : part * PART_ROWS;
}
uint part_group(uint part) { return IN_FOURS != 0 ? part % PARTS / 2 : 0; }
uint group_column(uint group) { return group * FOURS * FN; }
// The index of this tile of the result, and where a split of it writes a four of this thread.
uint tile_number() {
    return (batch_index() * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x +
           gl_WorkGroupID.x;
}
uint split_sums(uint split, uint part, uint four) {
    return (tile_number() * SPLITS + split) * (BM * BN / 4) +
           ((subgroup_index() * ALL_PARTS + part) * FOURS + four) * LANES + gl_SubgroupInvocationID;
}
// Past the last part is the last one.
vec4 ask_part(uint m, uint n, uint part, uint four) {
    const uint at = min(part, ALL_PARTS - 1);
    return ask(m + part_row(at), n + group_column(part_group(at)) + four * FN);
}

// FOURS of each, two at most. `asked` is for the next step and for the one after it.
vec4 bias[GROUPS][2], asked[2 * STEP][2];
vec4 sum[STEP][2];

// Where NOTES is set, these are the moments of each row that finish() makes: its mean, and the sum
// of its squared deviations.
shared vec2 row_moments[NOTES ? BM * (BN / WN) : 1];

// Four threads side by side have a row.
float sum_of_row(float v) {
    v += subgroupShuffleXor(v, 1);
    return v + subgroupShuffleXor(v, 2);
}

// This thread's first row is m, of the workgroup's rows `row`, its first column n.
void note(uint m, uint n, uint row) {
    [[unroll]] for (uint i = 0; i < 2; ++i) {
        vec4 total = vec4(0.0), squares = vec4(0.0);
        [[unroll]] for (uint j = 0; j < GROUPS; ++j) total += sum[2 * j + i][0];
        const float mean = sum_of_row(dot(total, vec4(1.0))) / WN;
        [[unroll]] for (uint j = 0; j < GROUPS; ++j) {
            const vec4 d = sum[2 * j + i][0] - mean;
            squares += d * d;
        }
        const float all = sum_of_row(dot(squares, vec4(1.0)));
        if (gl_SubgroupInvocationID % 4 == 0)
            row_moments[(row + i * FM / 2) * (BN / WN) + warp_n()] = vec2(mean, all);
    }
    // Two threads side by side exchange fours, so that each has eight neighbours of one row.
    const bool second = gl_SubgroupInvocationID % 2 != 0;
    [[unroll]] for (uint j = 0; j < GROUPS; ++j) {
        const uvec2 upper = half_of(sum[2 * j][0]), lower = half_of(sum[2 * j + 1][0]);
        const uvec2 taken = subgroupShuffleXor(second ? upper : lower, 1);
        if (second)
            leave_halves(m + FM / 2, n + j * FN - 4, uvec4(taken, lower));
        else
            leave_halves(m, n + j * FN, uvec4(upper, taken));
    }
}

// The moments over the workgroup's columns, of which `columns` exist.
void gather_moments(uint columns) {
    barrier();
    const uint row = gl_LocalInvocationIndex;
    if (row >= BM) return;
    const uint count = columns / WN;
    float mean = 0.0, squares = 0.0;
    [[unroll]] for (uint i = 0; i < BN / WN; ++i)
        if (i < count) mean += row_moments[row * (BN / WN) + i].x;
    mean /= count;
    [[unroll]] for (uint i = 0; i < BN / WN; ++i)
        if (i < count) {
            const vec2 part = row_moments[row * (BN / WN) + i];
            squares += part.y + WN * (part.x - mean) * (part.x - mean);
        }
    leave_moments(gl_WorkGroupID.y * BM + row, vec2(mean, squares));
}

void ask_first(uint m, uint n) {
    [[unroll]] for (uint f = 0; f < FOURS; ++f) {
        [[unroll]] for (uint j = 0; j < GROUPS; ++j)
            bias[j][f] = bias_of(n + group_column(j) + f * FN);
        if (SPLITS == 1)
            [[unroll]] for (uint part = 0; part < 2 * STEP; ++part)
                asked[part][f] = ask_part(m, n, first_part(part / STEP) + part % STEP, f);
    }
}

// Stores results in a row of y that begins at `row_at`, if it is there, of `columns` columns.
void put(bool is_there, uint row_at, uint columns, uint n, vec4 v[2]) {
#if OUT == f16
    // The cost of a store is the lines of memory that it touches. Two threads side by side have
    // four halves of each fragment; they exchange them, so that each has eight of one.
    if (FOURS == 2) {
        const bool second = gl_SubgroupInvocationID % 2 != 0;
        const uvec2 left = store(v[0]), right = store(v[1]);
        const uvec2 taken = subgroupShuffleXor(second ? left : right, 1);
        const uint column = second ? n + FN - 4 : n;
        if (is_there && column < columns)
            y_eights[(row_at + column) / 8] = second ? uvec4(taken, right) : uvec4(left, taken);
        return;
    }
#endif
    if (is_there && n < columns) y[(row_at + n) / 4] = store(v[0]);
}

// Finishes the sums of a step, or writes them for add_splits(). This thread's first row is m0 in the
// result, first_row in its subgroup's rows, which are warp_m of the tile; its first column is n0.
void finish_step(uint step, uint first, uint m0, uint n0, uint warp_m, uint first_row) {
    [[unroll]] for (uint part = 0; part < STEP; ++part) {
        const uint group = part_group(part);
        [[unroll]] for (uint f = 0; f < FOURS; ++f)
            if (SPLITS == 1)
                sum[part][f] = scaled(m0 + part_row(first + part), sum[part][f]) + bias[group][f];
            else
                splits[split_sums(split_index(), first + part, f)] = sum[part][f];
        if (SPLITS == 1) {
            finish(m0 + part_row(first + part), n0 + group_column(group), sum[part], asked[part]);
            [[unroll]] for (uint f = 0; f < FOURS; ++f) {
                asked[part][f] = asked[STEP + part][f];
                asked[STEP + part][f] = ask_part(m0, n0, first_part(step + 2) + part, f);
            }
        }
    }
    if (NOTES && SPLITS == 1)
        note(m0 + part_row(first), n0, warp_m * WM + first_row + part_row(first));
}

// Split-K: finds out whether this workgroup is the last of those that share a tile.
void arrive() {
    memoryBarrierBuffer();
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        is_last = atomicAdd(arrived[tile_number()], 1) == SPLITS - 1;
        if (is_last) arrived[tile_number()] = 0;
    }
    barrier();
}
// The last workgroup adds up the sums of all. n: rows of W; the others as in finish_step().
void add_splits(uint m0, uint n0, uint warp_m, uint first_row, uint n) {
    memoryBarrierBuffer();
    [[dont_unroll]] for (uint step = 0; step < own_steps(); ++step) {
        const uint first = first_part(step);
        [[unroll]] for (uint part = 0; part < STEP; ++part)
            [[unroll]] for (uint f = 0; f < FOURS; ++f) {
                asked[part][f] = ask_part(m0, n0, first + part, f);
                sum[part][f] = vec4(0.0);
                [[unroll]] for (uint s = 0; s < SPLITS; ++s)
                    sum[part][f] += splits[split_sums(s, first + part, f)];
                sum[part][f] =
                    scaled(m0 + part_row(first + part), sum[part][f]) + bias[part_group(part)][f];
            }
        [[unroll]] for (uint part = 0; part < STEP; ++part)
            finish(m0 + part_row(first + part), n0 + group_column(part_group(part)), sum[part],
                   asked[part]);
        if (NOTES) note(m0 + part_row(first), n0, warp_m * WM + first_row + part_row(first));
    }
    if (NOTES) gather_moments(min(BN, n - gl_WorkGroupID.x * BN));
}

// all_k8: columns of x and W in eights; n: rows of W, which lies at `w`.
void product(uint all_k8, uint n, uvec2 w) {
    const uint me = load_index();
    const uint warp_m = subgroup_index() / (BN / WN);
    begin_rows();

    PRODUCT_SUMS sums[WM / FM][FRAGMENTS];
    [[unroll]] for (uint i = 0; i < WM / FM; ++i)
        [[unroll]] for (uint j = 0; j < WN / FN; ++j) sums[i][j] = PRODUCT_SUMS(0.0);

    // The first row and column that this thread will write. Without IN_FOURS it has four columns of
    // one row in PART_ROWS.
    const bool idle = IN_FOURS == 0 && gl_SubgroupInvocationID >= PART_ROWS * WN4;
    const uint first_row = IN_FOURS != 0 ? four_row(0)
                                         : min(gl_SubgroupInvocationID / WN4, PART_ROWS - 1);
    const uint first_column = IN_FOURS != 0 ? four_column() : gl_SubgroupInvocationID % WN4 * 4;
    const uint m0 = idle ? 0x40000000 : gl_WorkGroupID.y * BM + warp_m * WM + first_row;
    const uint n0 = first_fragment() * FN + first_column;
    if (ASK_EARLY) ask_first(m0, n0);

    // The columns of a share: whole tiles, of which the last share's may be fewer, or none. All
    // shares take as many steps as the first, which has the most.
    const uint range = (all_k8 + SPLITS * SHARES * K8 - 1) / (SPLITS * SHARES * K8) * K8;
    const uint group_begin = split_index() * SHARES * range;
    const uint begin = group_begin + load_share() * range, end = min(begin + range, all_k8);
    const uint stop = SHARES == 1 ? end : begin + min(range, all_k8 - min(group_begin, all_k8));

    // After the last fragment of a step come those of the next step; after the last of all there is
    // padding.
    const uint last_step = (all_k8 * 8 - 1) / FK, step_size = (n + FN - 1) / FN * FRAGMENT;
    const uint w_at = first_fragment() * FRAGMENT + gl_SubgroupInvocationID;
    // A thread may load x for another share than its subgroup's: the distance to its own share's
    // steps.
    const uint to_own = (share_index() - load_share()) * range * 8 / FK;

    uvec4 next_x[X_LOADS], next_w[AHEAD][WN / FN][EIGHTS];
    [[unroll]] for (uint i = 0; i < X_LOADS; ++i)
        next_x[i] = load_x(i, min(begin + me % K8, end - 1));
    [[unroll]] for (uint k = 0; k < AHEAD; ++k) {
        const uint at = w_at + min(begin * 8 / FK + to_own + k, last_step) * step_size;
        [[unroll]] for (uint j = 0; j < WN / FN; ++j)
            [[unroll]] for (uint e = 0; e < EIGHTS; ++e)
                next_w[k][j][e] = Eights(w).at[at + j * FRAGMENT + e * LANES];
    }

    begin_scales();
    const uint put_at = load_share() * TILE_SIZE + me % K8;
    const uint take_at = share_index() * TILE_SIZE + warp_m * WM * ROW;
    for (uint k8 = begin; k8 < stop; k8 += K8) {
        barrier();  // all threads have read the last tile
        const bool there = k8 + me % K8 < end;
        [[unroll]] for (uint i = 0; i < X_LOADS; ++i)
            tile[put_at + load_row(i) * ROW] =
                there && (blank >> i & 1) == 0 ? next_x[i] : uvec4(0);
        barrier();
        blank = 0;
        [[unroll]] for (uint i = 0; i < X_LOADS; ++i)
            next_x[i] = load_x(i, min(k8 + K8 + me % K8, end - 1));
        [[unroll]] for (uint k = 0; k < BK / FK; ++k) {
            coopmat<float16_t, gl_ScopeSubgroup, FM, FK, gl_MatrixUseA> left[WM / FM];
            [[unroll]] for (uint i = 0; i < WM / FM; ++i)
                coopMatLoad(left[i], tile, take_at + i * FM * ROW + k * FK / 8, ROW,
                            gl_CooperativeMatrixLayoutRowMajor);
            RIGHT_FACTOR right[WN / FN];
            [[unroll]] for (uint j = 0; j < WN / FN; ++j)
                right[j] = right_factor(next_w[k % AHEAD][j]);
            const uint at = w_at + min(k8 * 8 / FK + to_own + k + AHEAD, last_step) * step_size;
            [[unroll]] for (uint j = 0; j < WN / FN; ++j)
                [[unroll]] for (uint e = 0; e < EIGHTS; ++e)
                    next_w[k % AHEAD][j][e] = Eights(w).at[at + j * FRAGMENT + e * LANES];
            [[unroll]] for (uint j = 0; j < WN / FN; ++j)
                [[unroll]] for (uint i = 0; i < WM / FM; ++i)
                    sums[i][j] = coopMatMulAdd(left[i], right[j], sums[i][j]);
        }
    }

    // Every share writes the sums that the others go on with. (They are taken out of the matrices
    // before: NVIDIA's compiler keeps a matrix in memory if that happens under a condition.)
    if (SHARES > 1) {
        vec4 fours[WM / FM][FRAGMENTS][2];
        [[unroll]] for (uint i = 0; i < WM / FM; ++i)
            [[unroll]] for (uint j = 0; j < FRAGMENTS; ++j)
                [[unroll]] for (uint e = 0; e < 2; ++e) fours[i][j][e] = four_of(sums[i][j], e);
        barrier();
        [[unroll]] for (uint i = 0; i < WM / FM; ++i) {
            const uint before = (share_index() + SHARES - i % SHARES) % SHARES;
            if (before != 0)
                [[unroll]] for (uint j = 0; j < FRAGMENTS; ++j)
                    [[unroll]] for (uint e = 0; e < 2; ++e)
                        tile[meeting_at(i, before, j, e)] = floatBitsToUint(fours[i][j][e]);
        }
        barrier();
    }

    // Where threads do not hold sums in fours, a subgroup lays rows of them out in shared memory,
    // which no tile uses any more, and reads them from there. (Storing whole matrices is slower on
    // NVIDIA, and cannot stop at an edge.) This is a loop, because unrolled it would be most of the
    // kernel and more than an instruction cache holds. Only the matrices need constant indices.
    const uint result_at = gl_SubgroupID * FM * OUT_ROW;
    const uint mine_at = result_at + first_row * OUT_ROW + first_column / 4;
    if (!ASK_EARLY) ask_first(m0, n0);
    if (IN_FOURS == 0) barrier();
    [[dont_unroll]] for (uint step = 0; step < own_steps(); ++step) {
        const uint first = first_part(step);
        if (IN_FOURS != 0) {
            [[unroll]] for (uint i = 0; i < WM / FM; ++i)
                if (first == i * PARTS)
                    [[unroll]] for (uint part = 0; part < STEP; ++part)
                        [[unroll]] for (uint f = 0; f < FOURS; ++f)
                            sum[part][f] = four_of(sums[i][part_group(part) * FOURS + f], part % 2);
            [[unroll]] for (uint other = 1; other < SHARES; ++other)
                [[unroll]] for (uint part = 0; part < STEP; ++part)
                    [[unroll]] for (uint f = 0; f < FOURS; ++f)
                        sum[part][f] += uintBitsToFloat(
                            tile[meeting_at(first / PARTS, other, part_group(part) * FOURS + f,
                                            part % 2)]);
        } else if (first % PARTS == 0) {
            subgroupBarrier();  // all threads have taken the last rows out
            [[unroll]] for (uint i = 0; i < WM / FM; ++i)
                if (first == i * PARTS)
                    [[unroll]] for (uint j = 0; j < WN / FN; ++j)
                        coopMatStore(sums[i][j], tile, result_at + j * FN / 4, OUT_ROW,
                                     gl_CooperativeMatrixLayoutRowMajor);
            subgroupMemoryBarrierShared();
            subgroupBarrier();
        }
        if (IN_FOURS == 0)
            [[unroll]] for (uint part = 0; part < STEP; ++part)
                sum[part][0] =
                    uintBitsToFloat(tile[mine_at + (first % PARTS + part) * PART_ROWS * OUT_ROW]);
        finish_step(step, first, m0, n0, warp_m, first_row);
    }
    if (NOTES && SPLITS == 1) gather_moments(min(BN, n - gl_WorkGroupID.x * BN));
    if (SPLITS == 1) return;
    arrive();
    if (!is_last) return;
    add_splits(m0, n0, warp_m, first_row, n);
}
