#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/batch/open_run.h"
#include "app/batch/source_runner.h"
#include "app/batch/stage_totals.h"
#include "app/io/line_file.h"
#include "app/io/progress.h"

namespace saccade {

struct BatchOutcome {
    // `failed`: of some sources not all frames could be processed, and running again does not help.
    // `unfinished`: the run was interrupted, or a resource ran short; --resume goes on.
    enum class End { done, failed, unfinished } end = End::done;
    StageTotals totals;
    double seconds = 0;
};

// One run of a plan, or of one shard of it, in a folder that no other process uses meanwhile.
class BatchRun {
public:
    // The run must outlive this object.
    explicit BatchRun(const OpenRun& run);

    // Whether any frames are left to be processed. If not, process() needs no path.
    bool needs_models() const;
    uint64_t frames_left() const;

    // Starts the run, or continues it. Comes after everything that can still fail, such as loading
    // models, because it erases the traces of a finished run.
    void start();
    // Processes all sources, logs what fails and goes on with the next source; `watch`, if set,
    // sees each frame when it is finished. A lost device, a full disk or Ctrl-C ends the run with
    // all that is done so far whole, so that it can be resumed.
    BatchOutcome process(FramePath* path, const FrameOrder& order,
                         std::function<void(const Done&)> watch, bool quiet);

private:
    // False if no other source can be processed either.
    bool process_source(const PieceRange& range, SourceRunner* runner, Progress& progress);
    void set_failed(const PlannedSource& source, const std::string& why);
    void write_results();
    void remove_empty_lines() const;
    void report(const std::string& error, BatchOutcome::End end);

    const OpenRun& run_;
    const BatchPlan& plan_;
    const WorkFolder work_;
    std::optional<LineFile> lines_;
    BatchOutcome::End end_ = BatchOutcome::End::done;
};

}  // namespace saccade
