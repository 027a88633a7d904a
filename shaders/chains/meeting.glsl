// A barrier of all workgroups of a dispatch, in two halves: arrive() and await(). Vulkan guarantees
// no progress to workgroups that have not started, so a dispatch may have no more of them than the
// device runs at once. No workgroup waits forever: one whose patience runs out sets `stuck` and
// goes on. A shader that includes this declares
//   uint me                          the index of the thread in its workgroup
//   meeting { uint arrived, left; }  coherent volatile, zero before the dispatch and after it
//   uint stuck                       coherent volatile
#extension GL_KHR_memory_scope_semantics : require

uint target = 0;    // `arrived` once all workgroups have arrived
uint patience = 0;  // polls left before this workgroup gives up

// Between the halves there is time to load memory that no other workgroup writes. After the second
// half, every write before the first half is visible to all workgroups: a workgroup barrier hands
// the writes to thread 0, whose arrival releases them. The thread that waits polls until all have
// arrived, acquires once, and hands the result on by a workgroup barrier. Arrivals are atomic
// additions, so the last value read stands for all of them.
void workgroup_barrier() {
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup,
                   gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease);
}
bool all_arrived() {
    return atomicLoad(meeting.arrived, gl_ScopeDevice, 0, gl_SemanticsRelaxed) >= target;
}
void arrive() {  // after a workgroup_barrier()
    target += gl_NumWorkGroups.x;
    if (me == 0)
        atomicAdd(meeting.arrived, 1, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                  gl_SemanticsRelease);
}
void await() {
    if (me == 0) {
        bool all = all_arrived();
        while (!all && patience > 0) {
            --patience;
            all = all_arrived();
        }
        memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
        if (!all) {
            patience = 0;
            stuck = 1;
            // Lets every workgroup pass from here on: some drivers end a kernel that runs too long.
            atomicOr(meeting.arrived, 1u << 31, gl_ScopeDevice, 0, gl_SemanticsRelaxed);
        }
    }
    workgroup_barrier();
}
// The last workgroup to leave resets the counters for the next chain; no other reads them any more.
void leave() {
    if (me == 0 && atomicAdd(meeting.left, 1, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                             gl_SemanticsAcquireRelease) == gl_NumWorkGroups.x - 1) {
        atomicStore(meeting.arrived, 0u, gl_ScopeDevice, 0, gl_SemanticsRelaxed);
        atomicStore(meeting.left, 0u, gl_ScopeDevice, 0, gl_SemanticsRelaxed);
    }
}
