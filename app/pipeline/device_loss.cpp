#include "app/pipeline/device_loss.h"

#include <spdlog/spdlog.h>

namespace saccade {

void DeviceLosses::tell(const DeviceLost& lost, Clock::time_point now) {
    while (!times_.empty() && now - times_.front() > within) times_.pop_front();
    times_.push_back(now);
    if (times_.size() >= most)
        throw TemporaryError("the device was lost " + std::to_string(most) +
                             " times in a minute, the last time because " + lost.what());
    spdlog::warn("{}; it is opened again", lost.what());
}

std::unique_ptr<Engine> open_again(const EngineOptions& options) try {
    return std::make_unique<Engine>(options);
} catch (const Error& refused) {
    const Instance all({.on_message = {}, .extensions = options.instance_extensions});
    for (const DeviceInfo& info : all.devices()) {
        EngineOptions other = options;
        other.device = std::to_string(info.index);
        try {
            std::unique_ptr<Engine> engine = std::make_unique<Engine>(other);
            spdlog::warn("{}; {} is used instead", refused.what(), info.name);
            return engine;
        } catch (const Error&) {
            // The next one.
        }
    }
    throw;
}

}  // namespace saccade
