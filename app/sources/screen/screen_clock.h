#pragma once

#include <chrono>

#include "app/frame/live_stamp.h"

namespace saccade {

// Times the captures of a screen, which has no frame rate of its own, and stamps its frames.
class ScreenClock {
public:
    // For the source of this name, at the rate of the options, or 30 per second.
    ScreenClock(const std::string& name, const SourceOptions& options);

    const SourceTraits& traits() const { return traits_; }
    // Waits until the next frame is due. Delays are not caught up.
    void wait();
    // For the frame that is captured now.
    FrameInfo stamp(Size size);
    // Forward only: the source is live.
    void seek(uint64_t index);

private:
    using Clock = std::chrono::steady_clock;

    SourceTraits traits_;
    LiveStamp stamp_;
    Clock::time_point due_ = Clock::now();
};

}  // namespace saccade
