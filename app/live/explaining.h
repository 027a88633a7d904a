#pragma once

#include <vector>

#include "app/live/cause/live_cause.h"
#include "app/live/state/status.h"
#include "app/live/state/wishes.h"
#include "app/pipeline/frame_order.h"

namespace saccade {

// What answers need, in a live loop: for the window's two views and for viewers of the page.
class LiveExplaining {
public:
    explicit LiveExplaining(Engine& engine) : cause_(engine) {}

    // These models run, without these heads; before others are unloaded, none.
    void use(const Models& models, const HeadsOff& off);
    // Remembers what an order is asked to explain, and adds what is known of it.
    void add_to(FrameOrder& order, const Wishes& wishes, const FrameResult* found,
                const Caption& caption);
    // Adds the maps that viewers want to a frame that is shown.
    void add_maps(Done& shown, const Caption& caption);

    // Knocks cells and heads out for about `ms`, while the device has nothing else to do. True if
    // the picture should be drawn again.
    bool work(const Done& shown, const MaskedPicture& picture, const Caption& caption, bool stands,
              bool held, double ms);
    bool done() const { return asks_nothing() || cause_.done(); }
    void report(Status& status, const FrameResult* found, const Caption& caption) const;

private:
    struct View {
        bool asks = false, draws = false;
        Looker looker;
    };
    bool asks_nothing() const { return !views_[0].asks && !views_[1].asks && viewers_.empty(); }
    const CauseSeen* seen(const Looker& looker, const FrameResult& found,
                          const Caption& caption) const;

    LiveCause cause_;
    Models models_;
    HeadsOff off_;
    Size size_;  // of the frames that studies are of
    uint64_t picture_ = 0;
    std::chrono::steady_clock::time_point captured_, drawn_;  // of that picture; drawn last
    bool news_ = false;                                       // that has not been drawn
    std::array<View, 2> views_;
    std::vector<MapOrder> viewers_;
};

}  // namespace saccade
