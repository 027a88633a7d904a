// Reductions over the THREADS of a workgroup. Every thread gets the result: subgroups reduce
// first, and all threads combine the subgroups' results from shared memory.
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
