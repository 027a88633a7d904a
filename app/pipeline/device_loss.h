#pragma once

#include <chrono>
#include <deque>
#include <memory>

#include "gpu/core/check.h"
#include "gpu/engine.h"

namespace saccade {

// What those do who go on when their device is lost.
class DeviceLosses {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr size_t most = 3;
    static constexpr std::chrono::minutes within{1};

    // Says so. If it is the third within a minute, that is thrown.
    void tell(const DeviceLost& lost, Clock::time_point now = Clock::now());

private:
    std::deque<Clock::time_point> times_;
};

// The device that is asked for, or the next one that can be opened, which is then said.
std::unique_ptr<Engine> open_again(const EngineOptions& options);

}  // namespace saccade
