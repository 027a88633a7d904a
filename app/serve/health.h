#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace saccade {

// What the loop tells about itself in every step.
struct Pulse {
    using Clock = std::chrono::steady_clock;

    uint64_t newest = 0;  // the number of the newest frame; 0: there is none yet
    // When that was captured; before the first, when the server began.
    Clock::time_point captured = Clock::now();
    // Why no newer frame is due: "the picture is frozen"; empty if one is.
    std::string rests = {};
    std::string waits_for = {};  // why none has come, if that is known: "the source is gone"

    double age(Clock::time_point now) const {
        return std::chrono::duration<double>(now - captured).count();
    }
};

// Whether frames are worked on. No line names a source: everybody may read it.
struct Health {
    bool good = false;
    std::string line;
};
// `beat`: when the loop told the pulse. After `stale` seconds without a frame it is bad.
Health health_of(const Pulse& pulse, Pulse::Clock::time_point beat, Pulse::Clock::time_point now,
                 double stale);

}  // namespace saccade
