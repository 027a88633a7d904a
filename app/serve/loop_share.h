#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace saccade {

// The usual time between two frames of the loop: the middle of the last ones.
class UsualInterval {
public:
    void add(double seconds);
    double seconds() const { return middle_; }  // 0: not known yet

private:
    static constexpr size_t most = 15;
    std::vector<double> last_;
    size_t next_ = 0;
    double middle_ = 0;
};

// The part of the loop's time that changes of one kind may cost. Time is earned all the while, and
// spent when frames come later than usual after a change, so what a change may cost need not be
// known before.
class LoopShare {
public:
    using Clock = std::chrono::steady_clock;

    // `saved`: the most seconds that can be saved up, which it has to begin with.
    LoopShare(double share, double saved, Clock::time_point now)
        : share_(share), saved_(saved), seconds_(saved), earned_(now) {}

    // Whether a change may begin.
    bool allows(Clock::time_point now);
    void begin();
    // A new frame has come this long after the one before.
    void frame(double interval, double usual);
    // A change is going on for longer: a model is being loaded.
    void go_on() { frames_left_ = std::max(frames_left_, 1u); }
    bool disturbed() const { return frames_left_ > 0; }

private:
    static constexpr double least = 0.05;   // seconds that every change costs
    static constexpr double most_owed = 1;  // seconds; limits the wait after a single long delay
    // A change of layers is over when all of the path's recordings are made again.
    static constexpr uint32_t frames = 6;

    const double share_, saved_;
    double seconds_;  // negative: owed
    Clock::time_point earned_;
    uint32_t frames_left_ = 0;  // that the last change may delay
};

}  // namespace saccade
