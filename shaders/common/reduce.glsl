// Reductions over the THREADS of a workgroup. Every thread gets the result: subgroups reduce by
// themselves, and what they have lies in shared memory for all to put together.
shared float partial[THREADS];

float workgroup_sum(float value) {
    const float mine = subgroupAdd(value);
    if (subgroupElect()) partial[gl_SubgroupID] = mine;
    barrier();
    float result = 0.0;
    for (uint i = 0; i < gl_NumSubgroups; ++i) result += partial[i];
    barrier();  // all threads have read partial
    return result;
}

float workgroup_max(float value) {
    const float mine = subgroupMax(value);
    if (subgroupElect()) partial[gl_SubgroupID] = mine;
    barrier();
    float result = partial[0];
    for (uint i = 1; i < gl_NumSubgroups; ++i) result = max(result, partial[i]);
    barrier();
    return result;
}
