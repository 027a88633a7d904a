#include "app/serve/health.h"

namespace saccade {

Health health_of(const Pulse& pulse, Pulse::Clock::time_point beat, Pulse::Clock::time_point now,
                 double stale) {
    const auto seconds = [](double count) { return std::to_string(int(count)) + " s"; };
    const double silence = std::chrono::duration<double>(now - beat).count();
    if (silence > stale) return {false, "the loop has not answered for " + seconds(silence)};
    if (!pulse.rests.empty()) return {true, "ok: " + pulse.rests};
    const double age = pulse.age(now);
    if (age <= stale) return {true, "ok"};
    const std::string reason = pulse.waits_for.empty() ? "" : ": " + pulse.waits_for;
    if (pulse.newest == 0) return {false, "no frame for " + seconds(age) + reason};
    return {false, "the newest frame is " + seconds(age) + " old" + reason};
}

}  // namespace saccade
