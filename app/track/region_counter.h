#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/frame/frame_result.h"
#include "app/track/hidden_way.h"
#include "app/track/regions.h"
#include "app/track/tracker.h"
#include "app/track/whole_box.h"

namespace saccade {

// A track in one frame, or something that has no number yet: 0.
struct TrackSeen {
    uint32_t track = 0, label = 0;
    float score = 0;
    Rectangle box;
};

// How long tracks of a class were in a zone.
struct Stays {
    uint32_t label = 0;
    uint32_t most = 0;   // at the same time
    double seconds = 0;  // all together, of those that have left and of those that are inside
    double longest = 0;
};

// Counts tracks that cross lines and that are in zones. A track crosses a line between two frames
// in which it was seen, however far apart they are, and where it trembles on the line nothing is
// counted: it must come from beyond half of its size and go as far, or half of the way to the
// picture's edge. What comes in over that edge was there before, and what comes out from behind
// something has passed behind it. What is partly hidden counts where the whole of it is. A track
// is known from the frame in which it was seen first, before it had a number. A zone's "in" are all
// that begin to be inside, its "out" all that are not any more, whether they went or vanished. A
// track's class is the one that it was called most, so far.
class RegionCounter {
public:
    explicit RegionCounter(Regions regions, double patience = TrackerSettings().patience);
    // Goes on with what another one has counted, in those regions that are where they were.
    RegionCounter(Regions regions, const RegionCounter& before);

    // The next frame.
    void step(double time, uint64_t frame, Size size, std::span<const TrackSeen> tracks);

    const std::vector<Region>& regions() const { return regions_.all; }  // in pixels of the frame
    const std::vector<RegionCounts>& counts() const { return counts_; }
    std::span<const RegionEvent> events() const { return events_; }  // of the last frame
    std::vector<Stays> stays(size_t region) const;

private:
    struct Place {            // of a track, in one region
        bool looked = false;  // at all
        bool known = false;
        bool crossed = false;
        glm::vec2 point;  // where it was clear on which side of a line it is
        bool inside = false;
        double since = 0;
    };
    struct Followed {
        uint32_t track = 0, label = 0;
        float weight = 0;  // of its label
        double seen = 0;
        uint64_t frame = 0;
        WholeBox whole = {};
        HiddenWay hidden = {};
        std::vector<Place> places;
    };
    struct Unnumbered {
        uint32_t label = 0;
        Rectangle box;
        double time = 0;
        uint64_t frame = 0;
    };

    void fit(Size size);
    Followed& follow(const TrackSeen& seen, std::span<const TrackSeen> all);
    void begin(Followed& track, const TrackSeen& seen, std::span<const TrackSeen> all);
    void remember_unnumbered(std::span<const TrackSeen> all, uint64_t frame);
    void look(Followed& track, const Rectangle& box);
    void look_behind(Followed& track, const Rectangle& box);
    void look_at_line(size_t region, Place& place, const Followed& track, const Rectangle& box);
    void look_at_zone(size_t region, Place& place, const Followed& track, const Rectangle& box);
    void enter(size_t region, const Followed& track);
    void leave(size_t region, Place& place, const Followed& track);
    void forget_lost(double time);
    RegionCounts::OfClass& count_of(size_t region, uint32_t label);
    Stays& stays_of(size_t region, uint32_t label);

    const Regions drawn_;
    Regions regions_;
    Size size_;
    double patience_, time_ = 0;
    std::vector<Followed> tracks_;
    std::vector<Unnumbered> unnumbered_;  // of the last frames
    std::vector<std::vector<Place>> spare_;
    std::vector<RegionCounts> counts_;
    std::vector<std::vector<Stays>> stays_;  // of each region
    std::vector<RegionEvent> events_;
};

}  // namespace saccade
