#pragma once

#include <chrono>
#include <deque>
#include <memory>

#include "gpu/core/check.h"
#include "gpu/engine.h"

namespace saccade {

// How a program goes on after its device was lost.
class DeviceLosses {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr size_t most = 3;
    static constexpr std::chrono::minutes within{1};

    // Logs the loss. Throws the third within a minute: the device will not come back.
    void tell(const DeviceLost& lost, Clock::time_point now = Clock::now());

private:
    std::deque<Clock::time_point> times_;
};

// Opens the device that the options ask for, or the next one that can be opened, and logs which.
std::unique_ptr<Engine> open_again(const EngineOptions& options);

}  // namespace saccade
