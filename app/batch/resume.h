#pragma once

#include <vector>

#include "app/batch/batch_folder.h"
#include "app/batch/plan.h"

namespace saccade {

// Starts a run in the folder, or continues the one that is there; returns whether it continues.
// Only whole pieces of an earlier run are kept: a piece that was broken off, or that no longer
// matches its checksums, is processed again. An Error if the folder holds an unfinished run and
// `resume` is false, or a run with other options and `resume` is true.
bool start_or_resume(const BatchFolder& folder, const BatchPlan& plan, const Shard& shard,
                     bool resume);

// Frames of these pieces that are still to be processed, by the container's frame count.
uint64_t frames_left(const BatchPlan& plan, const WorkFolder& work, const PieceRange& range);

}  // namespace saccade
