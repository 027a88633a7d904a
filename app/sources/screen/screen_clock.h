#pragma once

#include <chrono>

#include "app/frame/live_stamp.h"

namespace saccade {

// When the frames of a screen are taken, and what is known of each: a screen itself has no frames.
class ScreenClock {
public:
    // Of the source of this name; as often as somebody asked for, or 30 times a second.
    ScreenClock(const std::string& name, const SourceOptions& options);

    const SourceTraits& traits() const { return traits_; }
    // Until the next frame is due. Who comes late does not catch up.
    void wait();
    // Of the frame that is taken now.
    FrameInfo stamp(Size size);
    // Only ahead: what is past is gone.
    void seek(uint64_t index);

private:
    using Clock = std::chrono::steady_clock;

    SourceTraits traits_;
    LiveStamp stamp_;
    Clock::time_point due_ = Clock::now();
};

}  // namespace saccade
