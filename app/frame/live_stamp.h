#pragma once

#include "app/frame/source.h"

namespace saccade {

// Index and time of a live source's frames, by the machine's clock.
class LiveStamp {
public:
    // For the frame that has just been captured.
    FrameInfo next(const SourceName& source) {
        FrameInfo info;
        info.source = source;
        info.captured = std::chrono::steady_clock::now();
        info.index = index_++;
        if (info.index == 0) first_ = info.captured;
        info.time = std::chrono::duration<double>(info.captured - first_).count();
        return info;
    }
    // The index of the next frame.
    uint64_t index() const { return index_; }
    void leave_out(uint64_t frames = 1) { index_ += frames; }

private:
    uint64_t index_ = 0;
    std::chrono::steady_clock::time_point first_;
};

}  // namespace saccade
