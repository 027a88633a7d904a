// The argmax of each row for chain.comp, in two links as in pick.part.comp and pick.merge.comp:
// each workgroup has a slice of the columns.

void run_pick_part() {
    const PickPartLink l = pick_part_link();
    await_inputs();
    Singles x = Singles(address(l.x));
    const uint slice = divide(l.columns + gl_NumWorkGroups.x - 1, gl_NumWorkGroups.x);
    const uint begin = gl_WorkGroupID.x * slice, end = min(begin + slice, l.columns);
    for (uint r = 0; r < ROWS; ++r) {
        const uint start = r * l.x_stride;
        Best best = nothing_found;
        for (uint j = begin + me; j < end; j += THREADS)
            best = better(best, Best(x.at[start + j], j));
        best = workgroup_best(best);
        float mine = 0.0;
        for (uint j = begin + me; j < end; j += THREADS)
            if (!isnan(x.at[start + j])) mine += exp(x.at[start + j] - best.value);
        const float sum = workgroup_sum(mine);
        if (me == 0) {
            Words part = Words(address(l.parts));
            const uint at = r * l.part_stride + pick_words * gl_WorkGroupID.x;
            part.at[at] = floatBitsToUint(best.value);
            part.at[at + 1] = best.column;
            part.at[at + 2] = floatBitsToUint(sum);
        }
    }
}

void run_pick_merge() {
    const PickMergeLink l = pick_merge_link();
    await_inputs();
    Words part = Words(address(l.parts));
    for (uint r = gl_WorkGroupID.x; r < ROWS; r += gl_NumWorkGroups.x) {
        const uint start = r * l.part_stride;
        Best best = nothing_found;
        for (uint i = me; i < gl_NumWorkGroups.x; i += THREADS)
            best = better(best, Best(uintBitsToFloat(part.at[start + pick_words * i]),
                                     part.at[start + pick_words * i + 1]));
        best = workgroup_best(best);
        float mine = 0.0;
        for (uint i = me; i < gl_NumWorkGroups.x; i += THREADS)
            mine += uintBitsToFloat(part.at[start + pick_words * i + 2]) *
                    exp(uintBitsToFloat(part.at[start + pick_words * i]) - best.value);
        const float total = workgroup_sum(mine);
        if (me < 8) {
            Singles about = Singles(address(l.about));
            const uint to = r * l.about_batch_stride + me;
            Words(address(l.best)).at[r * l.best_stride + me] = me == 0 ? best.column : 0;
            about.at[to] = me == 0 ? -log(total) : 0.0;
            about.at[to + l.about_stride] = me == 0 ? best.value + log(total) : 0.0;
            about.at[to + 2 * l.about_stride] = me == 0 ? float(best.column) : 0.0;
        }
    }
}
