#pragma once

#include <map>
#include <optional>
#include <vector>

#include "app/serve/loop_share.h"
#include "app/serve/viewer_message.h"

namespace saccade {

// Changes of the shared state that viewers wish for. Those that delay no frame are due at once.
// Others wait until the loop has time for them: the viewer whose last change is the longest ago is
// next, and its later wishes replace its earlier ones.
class ChangeQueue {
public:
    using Clock = LoopShare::Clock;

    explicit ChangeQueue(Clock::time_point now) : quick_(0.15, 3, now), slow_(0.05, 3, now) {}

    void add(const SharedWish& wish);
    // The changes that are due, in this order.
    std::vector<SharedWish> take(Clock::time_point now);
    // Drops waiting lines and zones: they were drawn on another source.
    void forget_regions();
    // Viewers who have a change that waits.
    std::vector<uint32_t> waiting() const;

    // Whether a viewer's maps may change in a way that delays frames; if so, the change begins.
    bool may_change_maps(Clock::time_point now);

    // After a step of the loop. While the picture `stands` still, no frame can be late, and nothing
    // waits.
    void stepped(bool new_frame, bool stands, bool loading, Clock::time_point now);

private:
    using Waiting = std::map<uint32_t, SharedWish>;  // by viewer

    std::optional<SharedWish> next(Waiting& waiting, LoopShare& share, Clock::time_point now);
    bool begin(LoopShare& share, Clock::time_point now);

    std::vector<SharedWish> at_once_;
    Waiting quick_waiting_, slow_waiting_;
    // Of changes that take effect within a frame, and of those that open models, sources or
    // prompts.
    LoopShare quick_, slow_;
    bool stands_ = false;
    UsualInterval usual_;
    std::optional<Clock::time_point> last_frame_;
    std::map<uint32_t, uint64_t> last_turn_;  // of each viewer
    uint64_t turns_ = 0;
};

}  // namespace saccade
