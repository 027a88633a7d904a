#pragma once

#include <algorithm>
#include <chrono>

namespace saccade {

// A rate limit: the bucket gains `rate` tokens per second and holds at most twice that many, which
// is the largest burst. Each request takes one.
class TokenBucket {
public:
    using Clock = std::chrono::steady_clock;

    explicit TokenBucket(double rate) : rate_(rate), tokens_(2 * rate) {}

    bool take(Clock::time_point now) {
        const double seconds = std::chrono::duration<double>(now - last_).count();
        tokens_ = std::min(tokens_ + rate_ * seconds, 2 * rate_);
        last_ = now;
        if (tokens_ < 1) return false;
        tokens_ -= 1;
        return true;
    }

private:
    double rate_, tokens_;
    Clock::time_point last_ = Clock::now();
};

}  // namespace saccade
