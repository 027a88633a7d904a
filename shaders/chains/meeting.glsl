// How the workgroups of a chain meet. No more of them may be started than the device runs at once
// (Vulkan promises nothing about those that wait to start), and none waits forever: whoever runs out of
// patience says so and goes on.
// Whoever includes this declares `me`, which thread of its workgroup this is, and
//   meeting { uint arrived, left; }  coherent volatile, zeros before the first chain
//   stuck                            coherent volatile, where somebody says that they could not meet
#extension GL_KHR_memory_scope_semantics : require

uint target = 0;    // how many workgroups will have arrived when all have
uint patience = 0;  // how often this one still looks whether they have

// A meeting has two halves, between which there is time to ask for what nobody has to write first.
// After the second, what everybody wrote before the first is visible to everybody: the workgroup's
// barrier hands its writes to the first thread, which releases them with its arrival. Who waits looks
// until all have arrived, then acquires what they released, once, and hands it on by a barrier in
// turn. Arrivals only add to each other, so that the last one read stands for all of them.
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
        if (!all) {  // some drivers end a loop that takes too long
            patience = 0;
            stuck = 1;
            // Nobody waits any more.
            atomicOr(meeting.arrived, 1u << 31, gl_ScopeDevice, 0, gl_SemanticsRelaxed);
        }
    }
    workgroup_barrier();
}
// The last one to leave makes room for the next chain: nobody looks at the meeting after leaving.
void leave() {
    if (me == 0 && atomicAdd(meeting.left, 1, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                             gl_SemanticsAcquireRelease) ==
                       gl_NumWorkGroups.x - 1) {
        atomicStore(meeting.arrived, 0u, gl_ScopeDevice, 0, gl_SemanticsRelaxed);
        atomicStore(meeting.left, 0u, gl_ScopeDevice, 0, gl_SemanticsRelaxed);
    }
}
