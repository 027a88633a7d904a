// The product that linear.tiled and conv2d.tiled share: sums[m][n] = sum_k x[m][k] W[n][k], for GPUs
// without cooperative matrices. A workgroup computes BM x BN sums. Tiles of x and W, BK columns wide,
// lie in shared memory as fp32, transposed, so that a thread reads four rows at once. A thread holds
// TM x TN sums in registers: blocks of 4 x 4 that lie apart, so that neighbours read neighbouring
// words. While one tile is multiplied, the next one is loaded into registers; shared memory holds
// two tiles in turn, so that one barrier a tile is enough.
//
// If the result has too few tiles to fill the device, SPLITS workgroups share one, each with a part of
// the columns of x and W. They write their sums to memory; the last one adds them up, always in the
// same order.
//
// A kernel that includes this defines how x is read and what happens to the sums. It declares w[],
// as 16 bytes each, splits[] and arrived[], one word for each tile, zero before and after:
//   void begin_rows()              once, before the first load
//   IN_WIDE load_x(uint i, uint k)    16 bytes of the i-th row that this thread loads, the k-th of that
//                                  row; sets bit i of `blank` if they lie outside of x and are zeros
//   vec4 bias_of(uint n)           of columns n .. n + 3
//   vec4 ask(uint m, uint n)       what else finish() needs from memory
//   void finish(uint m, uint n, vec4 sum, vec4 asked)  four sums, at row m, columns n .. n + 3
// Rows and columns may lie past the edges: loads are clamped, and finish() stores nothing there.

layout(local_size_x_id = 0) in;
SHARED_TILE_CONSTANTS(SACCADE_SPECIALISED)

const uint LOADS = BK / IN_WIDTH;  // in a row of a tile
const uint X_LOADS = BM * LOADS / THREADS, W_LOADS = BN * LOADS / THREADS;
// Rows are longer than the tile by a four, so that stores of neighbouring threads have fewer bank
// conflicts.
const uint X_ROW = BM / 4 + 1, W_ROW = BN / 4 + 1;
const uint ACROSS = BN / TN, DOWN = BM / TM;  // threads

shared vec4 x_tile[2 * BK * X_ROW];
shared vec4 w_tile[2 * BK * W_ROW];
shared bool is_last;

uint blank = 0;

void begin_rows();
IN_WIDE load_x(uint i, uint k);
vec4 bias_of(uint n);
vec4 ask(uint m, uint n);
void finish(uint m, uint n, vec4 sum, vec4 asked);

// The batch, and the part of the columns of x and W.
uint batch_index() { return SPLITS == 1 ? gl_WorkGroupID.z : gl_WorkGroupID.z / SPLITS; }
uint split_index() { return SPLITS == 1 ? 0 : gl_WorkGroupID.z % SPLITS; }

// Split-K: finds out whether this workgroup is the last of those that share a tile.
void arrive(uint group) {
    memoryBarrierBuffer();
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        is_last = atomicAdd(arrived[group], 1) == SPLITS - 1;
        if (is_last) arrived[group] = 0;
    }
    barrier();
}
// The last workgroup adds up the sums of all. This thread's first row and column are m0 and n0;
// `group` is the index of the tile.
void add_splits(uint group, uint m0, uint n0) {
    const uint me = gl_LocalInvocationIndex;
    memoryBarrierBuffer();
    [[unroll]] for (uint j = 0; j < TN / 4; ++j) {
        const uint column = n0 + j * ACROSS * 4;
        const vec4 bias = bias_of(column);
        [[unroll]] for (uint i = 0; i < TM; ++i) {
            const uint row = m0 + i / 4 * DOWN * 4 + i % 4;
            vec4 sum = bias;
            [[unroll]] for (uint s = 0; s < SPLITS; ++s)
                sum += splits[(group * SPLITS + s) * (BM * BN / 4) + (i * (TN / 4) + j) * THREADS + me];
            finish(row, column, sum, ask(row, column));
        }
    }
}

// columns: of x and W; n: rows of W; w_stride: elements from one of them to the next.
void product(uint columns, uint n, uint w_stride) {
    const uint me = gl_LocalInvocationIndex;
    const uint across = me % ACROSS, down = me / ACROSS;
    begin_rows();
    uint w_at[W_LOADS];
    [[unroll]] for (uint i = 0; i < W_LOADS; ++i)
        w_at[i] = min(gl_WorkGroupID.x * BN + (me + i * THREADS) / LOADS, n - 1) * (w_stride / IN_WIDTH);

    vec4 sums[TM][TN / 4];
    [[unroll]] for (uint i = 0; i < TM; ++i)
        [[unroll]] for (uint j = 0; j < TN / 4; ++j) sums[i][j] = vec4(0.0);

    // This workgroup's columns: whole tiles, of which the last one may be narrower.
    const uint all = columns / IN_WIDTH;
    const uint share = (all + SPLITS * LOADS - 1) / (SPLITS * LOADS) * LOADS;
    const uint begin = split_index() * share;
    const uint end = min(begin + share, all);

    IN_WIDE next_x[X_LOADS], next_w[W_LOADS];
    uint next = min(begin + me % LOADS, all - 1);
    [[unroll]] for (uint i = 0; i < X_LOADS; ++i) next_x[i] = load_x(i, next);
    [[unroll]] for (uint i = 0; i < W_LOADS; ++i) next_w[i] = w[w_at[i] + next];

    uint turn = 0;
    for (uint at = begin; at < end; at += LOADS) {
        const bool there = at + me % LOADS < end;
        const uint k = turn * BK + me % LOADS * IN_WIDTH;
        [[unroll]] for (uint i = 0; i < X_LOADS; ++i) {
            const uint row = (me + i * THREADS) / LOADS;
            const bool zero = !there || (blank >> i & 1) != 0;
            [[unroll]] for (uint e = 0; e < IN_WIDTH; ++e)
                x_tile[(k + e) * X_ROW + row / 4][row % 4] = zero ? 0.0 : element(next_x[i], e);
        }
        [[unroll]] for (uint i = 0; i < W_LOADS; ++i) {
            const uint row = (me + i * THREADS) / LOADS;
            [[unroll]] for (uint e = 0; e < IN_WIDTH; ++e)
                w_tile[(k + e) * W_ROW + row / 4][row % 4] = element(next_w[i], e);
        }
        barrier();
        blank = 0;
        next = min(at + LOADS + me % LOADS, all - 1);
        [[unroll]] for (uint i = 0; i < X_LOADS; ++i) next_x[i] = load_x(i, next);
        [[unroll]] for (uint i = 0; i < W_LOADS; ++i) next_w[i] = w[w_at[i] + next];

        [[unroll]] for (uint q = 0; q < BK; ++q) {
            vec4 a[TM / 4], b[TN / 4];
            [[unroll]] for (uint i = 0; i < TM / 4; ++i)
                a[i] = x_tile[(turn * BK + q) * X_ROW + down + i * DOWN];
            [[unroll]] for (uint j = 0; j < TN / 4; ++j)
                b[j] = w_tile[(turn * BK + q) * W_ROW + across + j * ACROSS];
            [[unroll]] for (uint i = 0; i < TM; ++i)
                [[unroll]] for (uint j = 0; j < TN / 4; ++j)
                    sums[i][j] = fma(vec4(a[i / 4][i % 4]), b[j], sums[i][j]);
        }
        turn ^= 1;
    }

    const uint m0 = gl_WorkGroupID.y * BM + down * 4, n0 = gl_WorkGroupID.x * BN + across * 4;
    const uint group = (batch_index() * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x +
                       gl_WorkGroupID.x;
    [[unroll]] for (uint j = 0; j < TN / 4; ++j) {
        const uint column = n0 + j * ACROSS * 4;
        const vec4 bias = bias_of(column);
        [[unroll]] for (uint i = 0; i < TM; ++i) {
            const uint row = m0 + i / 4 * DOWN * 4 + i % 4;
            if (SPLITS == 1)
                finish(row, column, sums[i][j] + bias, ask(row, column));
            else
                splits[(group * SPLITS + split_index()) * (BM * BN / 4) + (i * (TN / 4) + j) * THREADS +
                       me] = sums[i][j];
        }
    }
    if (SPLITS == 1) return;
    arrive(group);
    if (!is_last) return;
    add_splits(group, m0, n0);
}
