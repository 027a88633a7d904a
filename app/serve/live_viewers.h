#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "app/live/headless.h"
#include "app/serve/exchange.h"
#include "app/track/region_store.h"

namespace saccade {

// What viewers may choose from, by titles without passwords and paths. A viewer cannot name
// anything else.
struct Offered {
    using Choices = std::vector<std::pair<std::string, std::string>>;  // title and name
    Choices sources, detectors, classifiers, captioners;

    // These sources and the one that is wished for; bundled models, models in this machine's cache,
    // and those that are wished for.
    static Offered at_start(const Wishes& wishes, std::vector<std::string> sources);
};

// Viewers in browsers. Before a step of the loop, what they want becomes part of the wishes; after
// it, they are sent the result.
class LiveViewers : public Audience {
public:
    // `attention`: the maps that pages begin with. `regions`: where drawn lines and zones are kept.
    LiveViewers(Exchange& exchange, Offered offered, const AttentionState& attention,
                RegionStore regions = RegionStore())
        : exchange_(exchange),
          offered_(std::move(offered)),
          attention_(attention),
          regions_(std::move(regions)) {}

    void add_wishes(Wishes& wishes, Events& events) override;
    void show(const LiveLoop& loop, const Wishes& wishes, bool new_picture) override;

private:
    using Clock = std::chrono::steady_clock;

    void apply(const SharedWish& wish, Wishes& wishes, Events& events);
    void apply_regions(Wishes& wishes);
    void apply_prompts(Wishes& wishes);
    // Limits how long a viewer holds the caption, and how often one changes layers.
    void limit(std::vector<RemoteLook>& looks, bool frozen);
    void publish_status(const LiveLoop& loop, const Wishes& wishes);

    Exchange& exchange_;
    const Offered offered_;
    const AttentionState attention_;
    KeptRegions regions_;
    // They take effect after a while, and the last one wins.
    std::optional<Regions> next_regions_;
    std::optional<PromptText> next_prompts_;
    std::optional<Clock::time_point> last_regions_, last_prompts_;
    uint64_t number_ = 0;
    struct LastLook {
        AttentionState attention;
        Clock::time_point changed;                 // the attention
        std::optional<Clock::time_point> on_word;  // since when a word is the target
    };
    std::map<uint32_t, LastLook> last_looks_;  // of each viewer
    std::optional<Clock::time_point> last_status_;
};

}  // namespace saccade
