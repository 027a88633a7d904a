#pragma once

#include <cstdint>

namespace saccade {

// The time base of a video: ticks that are fine enough for variable frame times, and exact for
// frames at the video's rate, such as 30000/1001.
class VideoClock {
public:
    // `rate`: frames per second; 0 if unknown.
    explicit VideoClock(double rate);

    int64_t second() const { return second_; }  // ticks per second
    int64_t frame() const { return frame_; }    // ticks per frame

    // The tick of a time in seconds. A time that a container has rounded to milliseconds snaps back
    // to the exact tick of its frame.
    int64_t ticks(double time) const;

private:
    int64_t second_, frame_;
};

}  // namespace saccade
