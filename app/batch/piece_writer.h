#pragma once

#include <filesystem>
#include <memory>
#include <opencv2/core.hpp>
#include <string>

#include "app/batch/plan.h"
#include "app/batch/stage_totals.h"
#include "app/batch/work_folder.h"
#include "app/frame_pipeline.h"
#include "app/line_file.h"
#include "app/video/video_writer.h"

namespace saccade {

// Writes the frames of a share, piece by piece: pictures where they are wanted, the video, and then
// the line that says that the frame is done.
class PieceWriter {
public:
    // Pictures go to `pictures`, unless that is empty.
    PieceWriter(const BatchPlan& plan, const PlannedSource& source, const WorkFolder& work,
                uint64_t first_piece, std::filesystem::path pictures, LineFile& lines,
                ResultLabels labels, StageTotals& totals);

    void add(FramePipeline::Finished frame);
    // Ends the last piece, and where the share is whole says so of all pieces before `end`.
    void finish(bool whole, uint64_t end);

private:
    void end_piece(bool whole);
    void write(const FramePipeline::Finished& frame);

    const BatchPlan& plan_;
    const PlannedSource& source_;
    const WorkFolder& work_;
    uint64_t piece_;
    std::filesystem::path pictures_;
    LineFile& lines_;
    ResultLabels labels_;
    StageTotals& totals_;
    VideoClock clock_;
    std::unique_ptr<VideoWriter> video_;
    bool begun_ = false;  // the piece has frames
    cv::Mat fitted_;
};

}  // namespace saccade
