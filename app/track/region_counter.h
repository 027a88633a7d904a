#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/frame/frame_result.h"
#include "app/track/amodal_box.h"
#include "app/track/occluded_path.h"
#include "app/track/regions.h"
#include "app/track/tracker.h"

namespace saccade {

// A detection with its track's number; 0 if it has none yet.
struct TrackSeen {
    uint32_t track = 0, label = 0;
    float score = 0;
    Rectangle box;
};

// How long tracks of a class were inside a zone.
struct Stays {
    uint32_t label = 0;
    uint32_t most = 0;   // at the same time
    double seconds = 0;  // of all stays, including those that have not ended
    double longest = 0;
};

// Counts tracks that cross lines or are inside zones.
// - A track crosses a line between two frames in which it is seen, however far apart they are.
// - Hysteresis suppresses jitter: before and after, the track must be half of its size away from
// the
//   line, or half of the way to the picture's edge.
// - An object that enters over the picture's edge counts as having been where it is first seen. An
//   object that appears from behind an occluder has passed behind it (OccludedPath).
// - The position of a partly occluded object is that of its whole box (AmodalBox).
// - A track counts from the frame in which it was first detected, before it had a number.
// - A zone's "in" counts tracks that begin to be inside, its "out" those that leave or vanish.
// - A track's class is the one that its detections voted for most, so far.
class RegionCounter {
public:
    explicit RegionCounter(Regions regions, double patience = TrackerSettings().patience);
    // Takes over the counts of another counter, for regions that did not move.
    RegionCounter(Regions regions, const RegionCounter& before);

    // The next frame.
    void step(double time, uint64_t frame, Size size, std::span<const TrackSeen> tracks);

    // All tracks end before the next frame: the scene has been cut.
    void end_tracks() { ended_ = true; }

    const std::vector<Region>& regions() const { return regions_.all; }  // in pixels of the frame
    const std::vector<RegionCounts>& counts() const { return counts_; }
    std::span<const RegionEvent> events() const { return events_; }  // of the last frame
    std::vector<Stays> stays(size_t region) const;

private:
    struct Place {            // of a track, relative to one region
        bool looked = false;  // at least once
        bool known = false;   // the side of the line, or whether it is inside
        bool crossed = false;
        glm::vec2 point;  // the last position that was clearly on one side of the line
        bool inside = false;
        double since = 0;
    };
    struct Followed {
        uint32_t track = 0, label = 0;
        float weight = 0;  // of its label
        double seen = 0;
        uint64_t frame = 0;
        AmodalBox whole = {};
        OccludedPath hidden = {};
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
    bool ended_ = false;  // before the next frame
    std::vector<Followed> tracks_;
    std::vector<Unnumbered> unnumbered_;  // of the last frames
    std::vector<std::vector<Place>> spare_;
    std::vector<RegionCounts> counts_;
    std::vector<std::vector<Stays>> stays_;  // of each region
    std::vector<RegionEvent> events_;
};

}  // namespace saccade
