#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/live/wall/headless.h"
#include "app/serve/change_queue.h"
#include "app/serve/exchange.h"
#include "app/serve/lecture/lecture_desk.h"
#include "app/serve/look_turns.h"
#include "app/track/region_store.h"

namespace saccade {

// The choices of viewers, by titles without secrets and paths. Any other name changes nothing.
struct Offered {
    template <typename Name>
    using Choices = std::vector<std::pair<std::string, Name>>;  // with their titles
    Choices<SourceName> sources;
    Choices<std::string> detectors, classifiers, captioners;

    // These sources and the one that is wished for; bundled models, models in this machine's cache,
    // and those that are wished for.
    static Offered at_start(const Wishes& wishes, std::vector<SourceName> sources);
};

// Viewers in browsers. Before a step of the loop, their demands become part of the wishes; after
// it, they get the result.
class LiveViewers : public Audience {
public:
    // `attention`: the maps that pages begin with. `regions`: keeps drawn lines and zones.
    LiveViewers(Exchange& exchange, Offered offered, const AttentionState& attention,
                KeptRegions regions = KeptRegions(RegionStore()))
        : exchange_(exchange),
          offered_(std::move(offered)),
          attention_(attention),
          regions_(std::move(regions)) {}

    // Viewers may ask this desk, which lasts longer, for lectures.
    void offer_lectures(LectureDesk& desk) { desk_ = &desk; }

    void add_wishes(Wishes& wishes, Events& events) override;
    void show(const LiveLoop& loop, const Wishes& wishes, bool new_picture) override;

private:
    using Clock = std::chrono::steady_clock;

    void apply(const SharedWish& wish, Wishes& wishes, Events& events);
    Pulse pulse_of(const LiveLoop& loop, const Wishes& wishes);
    void publish_status(const LiveLoop& loop, const Wishes& wishes);

    Exchange& exchange_;
    const Offered offered_;
    const AttentionState attention_;
    KeptRegions regions_;
    LectureDesk* desk_ = nullptr;
    ChangeQueue changes_{Clock::now()};
    LookTurns looks_;
    uint64_t models_version_ = 0, scene_ = 0;
    SourceName source_;
    uint64_t number_ = 0;                        // of the newest frame
    Clock::time_point captured_ = Clock::now();  // before the first: the start
    std::optional<Clock::time_point> last_status_;
};

}  // namespace saccade
