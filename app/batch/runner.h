#pragma once

#include <exception>

#include "app/batch/batch_folder.h"
#include "app/batch/frame_sink.h"
#include "app/batch/piece_writer.h"
#include "app/batch/plan.h"
#include "app/frame_pipeline.h"
#include "app/progress.h"
#include "app/sources/reader.h"

namespace saccade {

// Brings the frames of one source after another through the pipeline: decoded by one thread,
// encoded by another, and looked at in between.
class BatchRunner {
public:
    // The videos of a part are left in pieces.
    BatchRunner(FramePipeline& pipeline, const BatchPlan& plan, BatchFolder folder, bool part);

    // Those pieces of a share that are not done yet. An Error where the source cannot be read or
    // what comes of it cannot be written; what was done until then is whole.
    void run(const Share& share, const SourceOptions& options, LineFile& lines, Progress& progress);

    const StageTotals& totals() const { return totals_; }

private:
    // Returns why the source could not be read to its end; null where it could.
    std::exception_ptr pump(Reader& reader, FrameSink& sink, Progress& progress);

    FramePipeline& pipeline_;
    const BatchPlan& plan_;
    BatchFolder folder_;
    WorkFolder work_;
    bool part_;
    StageTotals totals_;
};

}  // namespace saccade
