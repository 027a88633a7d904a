// Attention links of chain.comp, with an online softmax. A workgroup has one head of a row, a task.
// For the scores a thread has a key; for the sum it has eight columns of some values.

AttentionLink attention;

// Tasks are the heads of the first row, then those of the second, and so on.
uint row_of(uint task) { return ROWS > 1 ? divide(task, attention.heads) : 0; }
uint head_of(uint task) { return ROWS > 1 ? task - row_of(task) * attention.heads : task; }
// Where the keys, or the values, of a task begin, in eights.
uint start_of(uint task, uint batch_stride) {
    const uint batch = ROWS > 1 ? divide(row_of(task), attention.queries) : 0, head = head_of(task);
    return batch * (batch_stride / 8) +
           (SHARED_HEADS ? divide(head, attention.sharing) : head) * HEAD8;
}

// A link just before this one may write the last key and value. All others are loaded before that.
void load_older(uint first, uint task, out uvec4 key[HEAD8], out uvec4 value[VALUES]) {
    const uint last = max(attention.keys, 2) - 2, j = min(first + me, last);
    const uint keys = start_of(task, attention.k_batch_stride);
    const uint values = start_of(task, attention.v_batch_stride);
    [[unroll]] for (uint d = 0; d < HEAD8; ++d)
        key[d] = Halves(address(attention.k)).at[keys + j * (attention.k_stride / 8) + d];
    // Past the last value, weights are zero.
    const uint group = me / HEAD8, column = me - group * HEAD8;
    [[unroll]] for (uint i = 0; i < VALUES; ++i) {
        const uint at = min(first + group + i * GROUPS, last);
        value[i] = Halves(address(attention.v)).at[values + at * (attention.v_stride / 8) + column];
    }
}

// In `row`, past the sums: the query in fp32, the last key and the last value.
const uint QUERY = ROWS * EIGHTS, KEY = QUERY + 2 * HEAD8, VALUE = KEY + HEAD8;

void put_latest(uint task) {
    if (me >= 3 * HEAD8) return;
    const uint which = me / HEAD8, column = me - which * HEAD8, last = attention.keys - 1;
    const uvec2 from =
        address(which == 0 ? attention.q : which == 1 ? attention.k : attention.v);
    const uint start =
        which == 0   ? row_of(task) * (attention.q_stride / 8) + head_of(task) * HEAD8
        : which == 1 ? start_of(task, attention.k_batch_stride) + last * (attention.k_stride / 8)
                     : start_of(task, attention.v_batch_stride) + last * (attention.v_stride / 8);
    const uvec4 v = Halves(from).at[start + column];
    if (which == 0) {
        const Eight e = unpacked(v);
        row[QUERY + 2 * column] = floatBitsToUint(e.low * attention.scale);
        row[QUERY + 2 * column + 1] = floatBitsToUint(e.high * attention.scale);
    } else {
        row[KEY + me - HEAD8] = v;
    }
}

float score_of(uvec4 key[HEAD8]) {
    vec4 products = vec4(0.0);
    [[unroll]] for (uint d = 0; d < HEAD8; ++d) {
        const Eight k = unpacked(key[d]);
        products += uintBitsToFloat(row[QUERY + 2 * d]) * k.low;
        products += uintBitsToFloat(row[QUERY + 2 * d + 1]) * k.high;
    }
    return dot(products, vec4(1.0));
}

// Adds up the sums of all groups and the last value, and writes a head of y.
void write_head(uint task, Eight sum, float total) {
    if (me / HEAD8 < GROUPS) {
        row[2 * me] = floatBitsToUint(sum.low);
        row[2 * me + 1] = floatBitsToUint(sum.high);
    }
    barrier();
    if (me >= 2 * HEAD8) return;
    const Eight v = unpacked(row[VALUE + me / 2]);
    vec4 all = last_weight * ((me & 1) == 0 ? v.low : v.high);
    [[unroll]] for (uint g = 0; g < GROUPS; ++g) all += uintBitsToFloat(row[2 * HEAD8 * g + me]);
    all /= total;
    const uint to = row_of(task) * (attention.y_stride / 4) + head_of(task) * 2 * HEAD8;
    Pairs(address(attention.y)).at[to + me] = uvec2(packed(all.xy), packed(all.zw));
}

void run_attention() {
    attention = attention_link();
    const uint keys = attention.keys, tasks = ROWS * attention.heads;
    if (gl_WorkGroupID.x >= tasks) {
        await_inputs();
        return;
    }
    uint task = gl_WorkGroupID.x, first = 0;
    uvec4 key[HEAD8], value[VALUES];
    load_older(first, task, key, value);
    await_inputs();
    float largest, total;
    Eight sum;
    while (true) {
        if (first == 0) {
            put_latest(task);
            barrier();
            largest = -1e30;
            total = 0.0;
            sum = Eight(vec4(0.0), vec4(0.0));
        }
        const uint at = first + me;
        if (at == keys - 1)
            [[unroll]] for (uint d = 0; d < HEAD8; ++d) key[d] = row[KEY + d];
        const float of_key = score_of(key);
        const float score = at < keys ? of_key : -1e30;
        const float mine = subgroupMax(score);
        if (subgroupElect()) parts[gl_SubgroupID].x = mine;
        barrier();
        float top = largest;
        for (uint i = 0; i < gl_NumSubgroups; ++i) top = max(top, parts[i].x);
        const float e = at < keys ? exp(score - top) : 0.0;
        weight[me] = at < keys - 1 ? e : 0.0;
        if (at == keys - 1) last_weight = e;
        const float subtotal = subgroupAdd(e);
        if (subgroupElect()) parts[gl_SubgroupID].y = subtotal;
        barrier();
        const float shrink = exp(largest - top);
        largest = top;
        total *= shrink;
        for (uint i = 0; i < gl_NumSubgroups; ++i) total += parts[i].y;
        sum.low *= shrink;
        sum.high *= shrink;
        if (keys > 1)
            [[unroll]] for (uint i = 0; i < VALUES; ++i) {
                const uint j = me / HEAD8 + i * GROUPS;
                const float part = j < THREADS ? weight[j] : 0.0;
                const Eight v = unpacked(value[i]);
                sum.low += part * v.low;
                sum.high += part * v.high;
            }
        first += THREADS;
        if (first >= keys) {
            write_head(task, sum, total);
            first = 0;
            task += gl_NumWorkGroups.x;
            if (task >= tasks) break;
        }
        barrier();  // all threads have read `row` and `weight`
        load_older(first, task, key, value);
    }
}
