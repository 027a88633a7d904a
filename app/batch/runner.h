#pragma once

#include <exception>
#include <functional>

#include "app/batch/batch_folder.h"
#include "app/batch/piece_writer.h"
#include "app/batch/plan.h"
#include "app/io/progress.h"
#include "app/pipeline/frame_pump.h"
#include "app/sources/reader.h"
#include "app/track/frame_tracker.h"

namespace saccade {

// Brings the frames of one source after another along the path: decoded by one thread, encoded by
// others, and seen by the models in between.
class BatchRunner {
public:
    // The videos of a part are left in pieces.
    BatchRunner(FramePath& path, FrameOrder order, const BatchPlan& plan, BatchFolder folder,
                bool part);

    // Somebody sees each frame when it is finished, before it is written.
    void show_to(std::function<void(const Done&)> watcher) { watcher_ = std::move(watcher); }

    // Those pieces of a share that are not done yet. An Error where the source cannot be read or
    // what comes of it cannot be written; what was done until then is whole.
    void run(const Share& share, const SourceOptions& options, LineFile& lines, Progress& progress);

    const StageTotals& totals() const { return totals_; }

private:
    // Returns why it could not be read or seen to its end; null where it could.
    std::exception_ptr run(Reader& reader, PieceWriter& writer, uint64_t first, Progress& progress);
    // A tracker that has come as far as the pieces before `end`, which are whole.
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
