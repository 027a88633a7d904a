#include "app/sources/screen_clock.h"

#include <algorithm>
#include <thread>

#include "gpu/core/error.h"

namespace saccade {

namespace {

using namespace std::chrono_literals;

constexpr double usual_screen_rate = 30;

}  // namespace

ScreenClock::ScreenClock(const std::string& name, const SourceOptions& options) {
    traits_.name = name;
    traits_.live = true;
    traits_.rate = options.rate > 0 ? options.rate : usual_screen_rate;
}

void ScreenClock::wait() {
    std::this_thread::sleep_until(due_);
    const std::chrono::duration<double> period(1 / traits_.rate);
    due_ =
        std::max(due_, Clock::now() - 100ms) + std::chrono::duration_cast<Clock::duration>(period);
}

FrameInfo ScreenClock::stamp(Size size) {
    FrameInfo info;
    info.source = traits_.name;
    info.captured = Clock::now();
    info.index = next_++;
    if (info.index == 0) first_ = info.captured;
    info.time = std::chrono::duration<double>(info.captured - first_).count();
    info.size = size;
    return info;
}

void ScreenClock::seek(uint64_t index) {
    if (index < next_) throw Error("the screen is live: what is past is gone");
    next_ = index;
}

}  // namespace saccade
