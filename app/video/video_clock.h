#pragma once

#include <cstdint>

namespace saccade {

// The times of a video's frames, counted in ticks: fine enough for frames that come when they like,
// and exact for those that come at the video's rate, 30000 / 1001 too.
class VideoClock {
public:
    // Frames a second; 0 where nobody knows.
    explicit VideoClock(double rate);

    int64_t second() const { return second_; }  // ticks of it
    int64_t frame() const { return frame_; }    // ticks between two frames

    // The tick of a time in seconds. Containers that round times to milliseconds do not move frames
    // away from their places.
    int64_t ticks(double time) const;

private:
    int64_t second_, frame_;
};

}  // namespace saccade
