#include "app/sources/screen/screen_clock.h"

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
    FrameInfo info = stamp_.next(traits_.name);
    info.size = size;
    return info;
}

void ScreenClock::seek(uint64_t index) {
    if (index < stamp_.index())
        throw Error("the screen is live: it cannot go back to earlier frames");
    stamp_.leave_out(index - stamp_.index());
}

}  // namespace saccade
