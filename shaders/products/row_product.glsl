// x W^T of few rows, whose time is that of reading W once. LANES threads share a column of the
// result: each goes over every LANES-th eight of its elements, and in the end their sums are added
// up. A thread holds ROWS x COLUMNS sums. While it multiplies, its next STEPS eights of each column
// are being loaded.
//
// The including kernel has declared THREADS, LANES, COLUMNS, ROWS, STEPS, the matrix
// as RAW4 w[], and Eight x_at(row, i), the i-th eight of a row of x. Rows are padded with zeros to
// multiples of eight, so k needs no edge.

struct Eight {
    vec4 low, high;
};

#if T == f16
#define RAW4 uvec4
#define RAW uvec4
#else
#define RAW4 vec4
#define RAW Eight
#endif

Eight unpacked(uvec4 v) { return Eight(load(v.xy), load(v.zw)); }
Eight unpacked(Eight v) { return v; }

// Threads of a subgroup have consecutive numbers.
uint thread_number() { return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID; }

// Columns of the result that a workgroup computes.
const uint GROUP = THREADS / LANES * COLUMNS;

shared float sums[ROWS * COLUMNS * THREADS];

RAW w_at(uint i);
Eight x_at(uint row, uint i);

uint column_at[COLUMNS];    // where this thread's columns of W begin, in eights
RAW ahead[STEPS][COLUMNS];  // being loaded

void fetch(uint from, uint eights) {
    [[unroll]] for (uint s = 0; s < STEPS; ++s)
        [[unroll]] for (uint j = 0; j < COLUMNS; ++j)
            ahead[s][j] = w_at(column_at[j] + min(from + s * LANES, eights - 1));
}

// Takes the workgroup's columns from `first` on, and begins to load them.
void begin_product(uint first, uint columns, uint eights, uint w_stride) {
    const uint me = thread_number();
    [[unroll]] for (uint j = 0; j < COLUMNS; ++j)
        column_at[j] = min(first + me / LANES * COLUMNS + j, columns - 1) * (w_stride / 8);
    fetch(me & (LANES - 1), eights);
}

// Writes the sums where product() finds them.
void end_product(uint eights) {
    const uint me = thread_number();
    float sum[ROWS][COLUMNS];
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        [[unroll]] for (uint j = 0; j < COLUMNS; ++j) sum[r][j] = 0.0;

    for (uint from = me & (LANES - 1); from < eights; from += STEPS * LANES) {
        RAW now[STEPS][COLUMNS];
        [[unroll]] for (uint s = 0; s < STEPS; ++s)
            [[unroll]] for (uint j = 0; j < COLUMNS; ++j) now[s][j] = ahead[s][j];
        if (from + STEPS * LANES < eights) fetch(from + STEPS * LANES, eights);
        [[unroll]] for (uint s = 0; s < STEPS; ++s) {
            const uint i = from + s * LANES;
            if (i < eights) {
                [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                    const Eight xi = x_at(r, i);
                    [[unroll]] for (uint j = 0; j < COLUMNS; ++j) {
                        const Eight wi = unpacked(now[s][j]);
                        sum[r][j] += dot(xi.low, wi.low) + dot(xi.high, wi.high);
                    }
                }
            }
        }
    }

    // Subgroups that share a column add up among themselves first.
    uint parts = LANES, place = me;
    const bool shared_column = (LANES & (gl_SubgroupSize - 1)) == 0;
    if (shared_column) {
        const uint subgroup = findLSB(gl_SubgroupSize);  // a power of two
        parts = LANES >> subgroup;
        place = (me & ~(LANES - 1)) + ((me & (LANES - 1)) >> subgroup);
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            [[unroll]] for (uint j = 0; j < COLUMNS; ++j) sum[r][j] = subgroupAdd(sum[r][j]);
    }
    if (!shared_column || subgroupElect())
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            [[unroll]] for (uint j = 0; j < COLUMNS; ++j)
                sums[(r * COLUMNS + j) * THREADS + place] = sum[r][j];
    barrier();
    for (uint half_way = parts / 2; half_way > 0; half_way /= 2) {
        if ((me & (LANES - 1)) < half_way)
            [[unroll]] for (uint i = 0; i < ROWS * COLUMNS; ++i)
                sums[i * THREADS + me] += sums[i * THREADS + me + half_way];
        barrier();
    }
}

// The sum of a row and one of the workgroup's columns.
float product(uint row, uint column) {
    return sums[(row * COLUMNS + column % COLUMNS) * THREADS + column / COLUMNS * LANES];
}
