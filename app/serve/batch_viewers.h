#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "app/live/report.h"
#include "app/pipeline/frame_order.h"
#include "app/serve/exchange.h"
#include "gpu/core/device.h"

namespace saccade {

// Shows those who watch a batch in browsers how far it is, the newest frame with what was drawn
// onto it, and what has been found so far.
class BatchViewers {
public:
    // `left` frames are to be done.
    BatchViewers(Exchange& exchange, Device& device, ResultLabels labels, uint64_t left);

    void show(const Done& done);

private:
    using Clock = std::chrono::steady_clock;

    void count(const FrameResult& result);
    void tell(const std::string& source);

    Exchange& exchange_;
    Device& device_;
    const ResultLabels labels_;
    const uint64_t all_;
    const Clock::time_point start_ = Clock::now();
    std::map<std::string, uint64_t> found_;  // how many of each
    LiveReport report_;
    std::optional<Clock::time_point> last_told_;
};

}  // namespace saccade
