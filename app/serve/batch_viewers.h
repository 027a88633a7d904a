#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "app/live/state/status.h"
#include "app/pipeline/frame_order.h"
#include "app/serve/exchange.h"
#include "gpu/core/device.h"

namespace saccade {

// Shows a batch to viewers in browsers: its progress, the newest annotated frame, and the number of
// detections so far.
class BatchViewers {
public:
    // `left` frames are to be done.
    BatchViewers(Exchange& exchange, Device& device, ResultLabels labels, uint64_t left);

    void show(const Done& done);

private:
    using Clock = std::chrono::steady_clock;

    void count(const FrameResult& result);
    void publish_status(const SourceName& source);

    Exchange& exchange_;
    Device& device_;
    const ResultLabels labels_;
    const uint64_t all_;
    const Clock::time_point start_ = Clock::now();
    std::map<std::string, uint64_t> found_;  // the count of each label
    Status status_;
    std::optional<Clock::time_point> last_status_;
};

}  // namespace saccade
