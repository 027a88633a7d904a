#pragma once

#include <exception>
#include <functional>

#include "app/batch/batch_folder.h"
#include "app/batch/piece_writer.h"
#include "app/batch/plan/plan.h"
#include "app/io/progress.h"
#include "app/pipeline/frame_path.h"
#include "app/sources/reader.h"
#include "app/track/frame_tracker.h"

namespace saccade {

// Takes the frames of one source after another along the path: one thread decodes, this one runs
// the models, others encode.
class SourceRunner {
public:
    // The videos of a part (a shard of the run) stay in pieces, which `merge` joins.
    SourceRunner(FramePath& path, FrameOrder order, const BatchPlan& plan, BatchFolder folder,
                 bool part);

    // Calls `watcher` with each finished frame, before it is written.
    void show_to(std::function<void(const Done&)> watcher) { watcher_ = std::move(watcher); }

    // Processes the pieces that are not done yet. An Error if the source cannot be read or its
    // outputs cannot be written; pieces that were finished before stay whole.
    void run(const PieceRange& range, LineFile& lines, Progress& progress);

    const StageTotals& totals() const { return totals_; }

private:
    // Returns the error that ended the source too early; null if there was none.
    std::exception_ptr pump_frames(Reader& reader, PieceWriter& writer, uint64_t first,
                                   Progress& progress);
    // A tracker in the state that it had after the pieces before `end`, which are whole.
    FrameTracker tracker_at(const PlannedSource& source, uint64_t end) const;

    FramePath& path_;
    FrameOrder order_;  // of every frame
    TrackerSettings tracking_;
    const BatchPlan& plan_;
    BatchFolder folder_;
    WorkFolder work_;
    bool part_;
    std::function<void(const Done&)> watcher_;
    StageTotals totals_;
};

}  // namespace saccade
