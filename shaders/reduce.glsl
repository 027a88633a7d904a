// Reductions over the THREADS of a workgroup, THREADS a power of two. Every thread gets the result.
shared float partial[THREADS];

float workgroup_sum(float value) {
    const uint me = gl_LocalInvocationID.x;
    partial[me] = value;
    barrier();
    for (uint half_way = THREADS / 2; half_way > 0; half_way /= 2) {
        if (me < half_way) partial[me] += partial[me + half_way];
        barrier();
    }
    const float result = partial[0];
    barrier();  // nobody may overwrite partial before everybody has read it
    return result;
}

float workgroup_max(float value) {
    const uint me = gl_LocalInvocationID.x;
    partial[me] = value;
    barrier();
    for (uint half_way = THREADS / 2; half_way > 0; half_way /= 2) {
        if (me < half_way) partial[me] = max(partial[me], partial[me + half_way]);
        barrier();
    }
    const float result = partial[0];
    barrier();
    return result;
}
