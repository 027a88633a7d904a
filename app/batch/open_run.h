#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/batch/batch_folder.h"
#include "app/batch/plan/plan.h"
#include "app/batch/plan/shard.h"
#include "app/io/folder_lock.h"

namespace saccade {

// Where a run goes, and which part of it this process does.
struct RunRequest {
    std::filesystem::path folder;
    std::string shard;    // "I/N" or "auto"; empty: the run is not split
    uint32_t shards = 0;  // how many there are; 0: as `shard` says, or run.json in the folder
    bool resume = false, quiet = false;
};

// A run, or one shard of it, in a folder that is locked against other processes.
struct OpenRun {
    BatchPlan plan = {};
    std::optional<Shard> shard = {};
    std::vector<PieceRange> ranges = {};  // the pieces to process
    BatchFolder folder;                   // of the shard, or of the whole
    std::unique_ptr<FolderLock> lock = {};
    std::string run_json = {};  // with which the run begins
    bool resumed = false;       // it continues; all pieces that are kept match their checksums
};

// Takes the plan from the folder's run.json, or examines the sources of this one, which is not
// examined yet. An Error if the folder is in use, if it holds an unfinished run and is not to be
// resumed, or if it holds another run.
OpenRun open_run(BatchPlan plan, const RunRequest& request);

// Only writes the folder's run.json, for shards that are processed later. An Error if the folder
// holds another run.
BatchPlan plan_run(BatchPlan plan, const RunRequest& request);

// Frames of these pieces that are still to be processed, by the container's frame count.
uint64_t frames_left(const BatchPlan& plan, const WorkFolder& work, const PieceRange& range);

}  // namespace saccade
