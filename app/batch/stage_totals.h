#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/frame/frame_result.h"

namespace saccade {

// The time of each stage, summed over all frames.
class StageTotals {
public:
    void add(const FrameResult& result);
    uint64_t frames() const { return frames_; }
    // "decode 1.2, upload 0.1, detector 35.0 ms a frame"
    std::string text() const;
    std::string slowest() const;

private:
    std::vector<std::pair<std::string, double>> sums_;
    uint64_t frames_ = 0;
};

}  // namespace saccade
