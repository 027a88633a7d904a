// Product links of chain.comp. A team of threads computes four columns of y, a unit; a thread has
// three eights of each of these columns.

ProductLink product;
const uint X_EIGHTS = 3 * ROWS;  // of all rows of x, for each thread
uint lanes, lane;  // the threads of a team, and the index of this one

// Column c of a unit. The columns of a pair are in the same unit: with rotary positions, those of
// the first half of a head and of its second half.
uint column_of(uint unit, uint c) {
    const uint at = 4 * unit;
    if (!PAIRS || at >= product.paired) return at + c;
    const uint group = 2 * product.pair_distance * divide(at, 2 * product.pair_distance);
    return group + (at - group) / 2 + (c & 1) + (c >> 1) * product.pair_distance;
}

// The cosine and the sine of the angle that a thread's column is rotated by.
vec2 load_angle(uint unit) {
    if (!PAIRS || product.pairing != pairing_rope || 4 * unit >= product.paired)
        return vec2(1.0, 0.0);
    const uint first = column_of(unit, me & 1);
    const uint pair = first - 2 * product.pair_distance * divide(first, 2 * product.pair_distance);
    Bias angles = Bias(address(product.angles));
    return vec2(angles.at[pair], angles.at[product.pair_distance + pair]);
}

// v is a thread's column, after its activation.
float with_its_pair(float v, uint unit, vec2 angle) {
    const float other = subgroupShuffleXor(v, 2);
    if (4 * unit >= product.paired) return v;
    if (product.pairing == pairing_gate) return v * other;
    return v * angle.x + ((me & 2) == 0 ? -other : other) * angle.y;
}

// The weights of a thread. Past the end of a column they repeat the last ones, and x is zero there.
void load_weights(uint unit, out uvec4 w[4][3]) {
    const uint last = padded(product.k) / 8 - 1;
    [[unroll]] for (uint c = 0; c < 4; ++c) {
        const uint start = min(column_of(unit, c), product.n - 1) * (product.w_stride / 8);
        [[unroll]] for (uint s = 0; s < 3; ++s)
            w[c][s] = Weights(address(product.w)).at[start + min(lane + s * lanes, last)];
    }
}

float load_bias(uint column) {
    return product.has_bias != 0 ? Bias(address(product.b)).at[column] : 0.0;
}
float load_sum(uint at) {
    return product.accumulates != 0 ? Singles(address(product.y)).at[at] : 0.0;
}

// Puts the rows of x, or their norms, into shared memory.
void put_rows(RowNorm n, Affine a, uint eights) {
    if ((LAYER_NORMS || RMS_NORMS) && n.kind != norm_none) {
        Eight v[ROWS];
        normalize(n, a, v);
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            if (me < eights)
                row[r * EIGHTS + me] = uvec4(packed(v[r].low.xy), packed(v[r].low.zw),
                                             packed(v[r].high.xy), packed(v[r].high.zw));
    } else {
        uvec4 v[ROWS * EIGHTS_EACH];
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            [[unroll]] for (uint i = 0; i < EIGHTS_EACH; ++i)
                v[r * EIGHTS_EACH + i] = Halves(n.x).at[
                    r * (n.x_stride / 8) + min(me + i * THREADS, eights - 1)];
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            [[unroll]] for (uint i = 0; i < EIGHTS_EACH; ++i)
                if (me + i * THREADS < eights)
                    row[r * EIGHTS + me + i * THREADS] = v[r * EIGHTS_EACH + i];
    }
}

// The sum of column c over the lanes of a subgroup, in lanes c, c + 4, c + 8 ...
float columns_sum(vec4 v) {
    const bool odd = (gl_SubgroupInvocationID & 1) != 0;
    const bool second = (gl_SubgroupInvocationID & 2) != 0;
    const vec2 two = (odd ? v.yw : v.xz) + subgroupShuffleXor(odd ? v.xz : v.yw, 1);
    float one = (second ? two.y : two.x) + subgroupShuffleXor(second ? two.x : two.y, 2);
    for (uint far = 4; far < gl_SubgroupSize; far *= 2) one += subgroupShuffleXor(one, far);
    return one;
}

// The dot products of this thread's part of x with its part of four columns.
void multiply(uvec4 w[4][3], Eight x[X_EIGHTS], out vec4 products[ROWS]) {
    [[unroll]] for (uint c = 0; c < 4; ++c) {
        vec4 of_column[ROWS];
        [[unroll]] for (uint r = 0; r < ROWS; ++r) of_column[r] = vec4(0.0);
        [[unroll]] for (uint s = 0; s < 3; ++s) {
            const Eight e = unpacked(w[c][s]);
            [[unroll]] for (uint r = 0; r < ROWS; ++r) {
                of_column[r] += x[3 * r + s].low * e.low;
                of_column[r] += x[3 * r + s].high * e.high;
            }
        }
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            products[r][c] = (of_column[r].x + of_column[r].y) + (of_column[r].z + of_column[r].w);
    }
}

// The sum over a team, of this thread's row and column.
float team_sum(vec4 products[ROWS], uint mine) {
    const uint subgroup_bits = findLSB(gl_SubgroupSize);
    float sum = 0.0;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        const float of_row = columns_sum(products[r]);
        if (r == mine) sum = of_row;
        if (lanes != gl_SubgroupSize && gl_SubgroupInvocationID < 4)
            parts[ROWS * (me >> subgroup_bits) + r][me & 3] = of_row;
    }
    if (lanes != gl_SubgroupSize) {
        barrier();
        sum = 0.0;
        const uint first = (me & ~(lanes - 1)) >> subgroup_bits;
        for (uint i = 0; i < lanes >> subgroup_bits; ++i)
            sum += parts[ROWS * (first + i) + mine][me & 3];
        barrier();
    }
    return sum;
}

void run_product() {
    product = product_link();
    const uint eights = padded(product.k) / 8, units = padded(product.n) / 4;
    const bool gated = PAIRS && product.pairing == pairing_gate;
    const RowNorm n = RowNorm(product.norm, address(product.x), address(product.gain),
                              address(product.shift), product.x_stride, product.k, product.eps);
    lanes = max(gl_SubgroupSize, 32);
    while (3 * lanes < eights) lanes *= 2;
    const uint lane_bits = findLSB(lanes);
    lane = me & (lanes - 1);
    const uint team = (me >> lane_bits) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint teams = (THREADS >> lane_bits) * gl_NumWorkGroups.x;

    // Every lane ends with one of four columns of a row: the first four lanes write the first row,
    // and so on. A team without a unit loads what a neighbour loads, because drivers wait at once
    // for conditional loads.
    uint unit = team < units ? team : min(gl_WorkGroupID.x, units - 1);
    uint column = min(column_of(unit, me & 3), product.n - 1);
    const uint mine = min(lane >> 2, ROWS - 1);
    uvec4 w[4][3];
    load_weights(unit, w);
    float bias = load_bias(column);
    vec2 angle = load_angle(unit);
    const Affine a = load_affine(n);
    await_inputs();
    float before = load_sum(mine * product.y_stride + column);
    put_rows(n, a, eights);
    barrier();
    Eight x[X_EIGHTS];
    [[unroll]] for (uint r = 0; r < ROWS; ++r)
        [[unroll]] for (uint s = 0; s < 3; ++s) {
            const uint i = lane + s * lanes;
            x[3 * r + s] = unpacked(i < eights ? row[r * EIGHTS + i] : uvec4(0));
        }

    for (uint first = 0;;) {  // the same for all threads
        unit = first + team;
        vec4 products[ROWS];
        multiply(w, x, products);
        float v = team_sum(products, mine) + bias;
        if (product.activated != 0 && (!gated || (me & 2) == 0)) v = activate(v);
        if (PAIRS && product.pairing != pairing_none) v = with_its_pair(v, unit, angle);
        const uint to = column_of(unit, me & 3);
        v = to < product.n ? v + before : 0.0;
        const float neighbour = subgroupShuffleXor(v, 1);
        if (lane < 4 * ROWS && (!gated || (me & 2) == 0) && unit < units) {
            const uint at = mine * product.y_stride + to;
            if (product.half_out == 0)
                Singles(address(product.y)).at[at] = v;
            else if ((lane & 1) == 0)
                Words(address(product.y)).at[at / 2] = packed(vec2(v, neighbour));
        }
        first += teams;
        if (first >= units) break;
        unit = min(first + team, units - 1);
        column = min(column_of(unit, me & 3), product.n - 1);
        load_weights(unit, w);
        bias = load_bias(column);
        angle = load_angle(unit);
        before = load_sum(mine * product.y_stride + column);
    }
}
