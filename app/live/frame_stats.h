#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "app/frame/frame_result.h"
#include "app/live/state/status.h"
#include "app/live/state/wishes.h"
#include "app/pipeline/caption_writer.h"
#include "app/pipeline/frame_order.h"

namespace saccade {

// What the loop measures: rates, times of stages, and precision and recall where the source has
// ground truth.
class FrameStats {
public:
    // A frame is shown for the first time.
    void add_frame(const FrameResult& result, Status& status);
    void add_time(std::string_view stage, double ms, Status& status);
    // The time until the next frame does not count: the picture was frozen.
    void skip_interval() { last_frame_.reset(); }
    // Times of other models are not comparable.
    void restart(Status& status);

    // Another source, model or filter begins another score.
    void score(const Done& shown, const Wishes::Filter& filter, const CaptionWriter& captions,
               Status& status);
    void restart_score() { scored_for_.reset(); }

    void report(Status& status) const;

private:
    using Clock = std::chrono::steady_clock;

    std::optional<Clock::time_point> last_frame_;
    Rolling frame_seconds_, frame_gpu_ms_;
    double gpu_ms_ = 0;  // since the last frame
    std::optional<Wishes::Filter> scored_for_;
};

}  // namespace saccade
