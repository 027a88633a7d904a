#pragma once

#include "app/frame/source.h"

namespace saccade {

// Numbers and times of a live source's frames, by our own clock: it has none of its own.
class LiveStamp {
public:
    // Of the frame whose pixels are there now.
    FrameInfo next(const std::string& source) {
        FrameInfo info;
        info.source = source;
        info.captured = std::chrono::steady_clock::now();
        info.index = index_++;
        if (info.index == 0) first_ = info.captured;
        info.time = std::chrono::duration<double>(info.captured - first_).count();
        return info;
    }
    // Of the next frame.
    uint64_t index() const { return index_; }
    void leave_out(uint64_t frames = 1) { index_ += frames; }

private:
    uint64_t index_ = 0;
    std::chrono::steady_clock::time_point first_;
};

}  // namespace saccade
