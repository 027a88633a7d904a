#include "app/serve/loop_share.h"

namespace saccade {

void UsualInterval::add(double seconds) {
    if (last_.size() < most)
        last_.push_back(seconds);
    else
        last_[next_++ % most] = seconds;
    std::vector<double> sorted = last_;
    std::ranges::nth_element(sorted, sorted.begin() + std::ptrdiff_t(sorted.size() / 2));
    middle_ = sorted[sorted.size() / 2];
}

bool LoopShare::allows(Clock::time_point now) {
    const double passed = std::chrono::duration<double>(now - earned_).count();
    seconds_ = std::min(seconds_ + share_ * passed, saved_);
    earned_ = now;
    return seconds_ > 0;
}

void LoopShare::begin() {
    seconds_ -= least;
    frames_left_ = frames;
}

void LoopShare::frame(double interval, double usual) {
    if (frames_left_ == 0) return;
    --frames_left_;
    if (usual > 0) seconds_ = std::max(seconds_ - std::max(0.0, interval - usual), -most_owed);
}

}  // namespace saccade
