#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "app/live/loop.h"
#include "app/serve/exchange.h"
#include "app/track/region_store.h"

namespace saccade {

// What viewers may choose from, by titles that tell them no more than they need; never a path that
// one of them has typed.
struct Offered {
    using Choices = std::vector<std::pair<std::string, std::string>>;  // title and name
    Choices sources, detectors, classifiers, captioners;

    // These sources; and the bundled models, those of this machine's cache that are known, and
    // those that the state begins with.
    static Offered at_start(const LiveState& state, std::vector<std::string> sources);
};

// Stands between the live loop and those who watch it in browsers: before a step it makes their
// wishes the state's, after it they get what there is.
class LiveViewers {
public:
    // Pages begin with these maps of attention.
    // Lines and zones that somebody draws are kept in `regions`.
    LiveViewers(Exchange& exchange, Offered offered, const AttentionState& attention,
                RegionStore regions = RegionStore())
        : exchange_(exchange),
          offered_(std::move(offered)),
          attention_(attention),
          regions_(std::move(regions)) {}

    void ask(LiveState& state);
    // `new_picture` is what the step has said.
    void show(const LiveLoop& loop, const LiveState& state, bool new_picture);

private:
    using Clock = std::chrono::steady_clock;

    void take_drawn(LiveState& state);
    void take_typed(LiveState& state);
    void calm(std::vector<RemoteLook>& looks, bool frozen);
    void tell(const LiveLoop& loop, const LiveState& state);

    Exchange& exchange_;
    const Offered offered_;
    const AttentionState attention_;
    KeptRegions regions_;
    std::optional<Regions> drawn_;  // and words that were typed, that wait for their time
    std::optional<TypedWords> typed_;
    std::optional<Clock::time_point> last_drawn_, last_typed_;
    uint64_t number_ = 0;
    struct Seen {
        AttentionState attention;
        Clock::time_point changed;                 // when it became that
        std::optional<Clock::time_point> on_word;  // since when he looks at one
    };
    std::map<uint32_t, Seen> seen_;  // of each viewer
    std::optional<Clock::time_point> last_told_;
};

}  // namespace saccade
