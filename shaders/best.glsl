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

Best workgroup_best(Best mine) {
    const uint me = gl_LocalInvocationID.x;
    best_value[me] = mine.value;
    best_column[me] = mine.column;
    barrier();
    for (uint half_way = THREADS / 2; half_way > 0; half_way /= 2) {
        if (me < half_way) {
            mine = better(mine, Best(best_value[me + half_way], best_column[me + half_way]));
            best_value[me] = mine.value;
            best_column[me] = mine.column;
        }
        barrier();
    }
    const Best result = Best(best_value[0], best_column[0]);
    barrier();
    return result;
}
