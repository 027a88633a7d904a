// The largest of many, with its column, the first of equal ones. A NaN is never the best.
struct Best {
    float value;
    uint column;
};
const Best nothing_found = Best(-3.402823466e38, 0xffffffffu);

Best better(Best a, Best b) {
    const bool second = b.value > a.value || (b.value == a.value && b.column < a.column);
    return second ? b : a;
}

shared float best_value[THREADS];
shared uint best_column[THREADS];

// The best of all threads, for all threads: subgroups find theirs first.
Best workgroup_best(Best mine) {
    const float value = subgroupMax(mine.value);
    const uint column = subgroupMin(mine.value == value ? mine.column : 0xffffffffu);
    if (subgroupElect()) {
        best_value[gl_SubgroupID] = value;
        best_column[gl_SubgroupID] = column;
    }
    barrier();
    Best result = Best(best_value[0], best_column[0]);
    for (uint i = 1; i < gl_NumSubgroups; ++i)
        result = better(result, Best(best_value[i], best_column[i]));
    barrier();  // all threads have read them
    return result;
}
