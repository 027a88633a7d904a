#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "app/batch/batch_folder.h"
#include "app/batch/plan.h"
#include "app/batch/source_runner.h"
#include "app/batch/stage_totals.h"
#include "app/io/folder_lock.h"
#include "app/io/line_file.h"
#include "app/io/progress.h"

namespace saccade {

struct BatchOutcome {
    bool failed = false;  // a source or an output failed, or the run was interrupted
    StageTotals totals;
    double seconds = 0;
};

// One run of a plan, or of one shard of it, in a folder that no other process uses meanwhile.
class BatchRun {
public:
    // Makes and locks the folder. An Error if a video would overwrite its source, or if another
    // process works in the folder. The plan must outlive the run.
    BatchRun(const BatchPlan& plan, const std::filesystem::path& folder,
             std::optional<Shard> shard);

    // Starts the run, or continues the one in the folder: see start_or_resume(). Comes after
    // everything that can still fail, such as loading models, because it erases the traces of a
    // finished run.
    void start(bool resume);
    uint64_t frames_left() const;

    // Processes all sources, logs what fails and goes on with the next source; `watch`, if set,
    // sees each frame when it is finished. A lost device or Ctrl-C ends the run with all that is
    // done so far whole, so that it can be resumed.
    BatchOutcome process(FramePath& path, const FrameOrder& order,
                         std::function<void(const Done&)> watch, bool quiet);

private:
    // False if no other source can be processed either.
    bool process_source(const PieceRange& range, SourceRunner& runner, Progress& progress);
    void write_results();
    void remove_empty_lines() const;
    void report(const std::string& error);

    const BatchPlan& plan_;
    const std::optional<Shard> shard_;
    const std::vector<PieceRange> ranges_;
    const BatchFolder folder_;
    const WorkFolder work_;
    std::optional<FolderLock> lock_;
    std::optional<LineFile> lines_;
    bool resumed_ = false, failed_ = false;
};

}  // namespace saccade
