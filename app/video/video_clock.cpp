#include "app/video/video_clock.h"

#include <cmath>

#include "app/video/av.h"

namespace saccade {

VideoClock::VideoClock(double rate) {
    constexpr int most = 65'535;    // ticks per second that MPEG-4 allows
    constexpr int enough = 30'000;  // for variable frame times
    const AVRational fraction = av_d2q(rate > 0 ? rate : 25, most);
    const int64_t finer = (enough + fraction.num - 1) / fraction.num;
    second_ = fraction.num * finer;
    frame_ = fraction.den * finer;
}

int64_t VideoClock::ticks(double time) const {
    const double exact = time * double(second_);
    const int64_t place = std::llround(exact / double(frame_)) * frame_;
    constexpr double rounding = 0.0006;
    if (std::abs(exact - double(place)) <= rounding * double(second_)) return place;
    return std::llround(exact);
}

}  // namespace saccade
