#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/frame/frame_result.h"
#include "app/track/region_counter.h"
#include "app/track/tracker.h"

namespace saccade {

// Where a track was in the last seconds, the newest place last.
struct Trail {
    struct Point {
        double time;
        glm::vec2 place;
    };
    static constexpr double seconds = 2;

    uint32_t number = 0;
    std::vector<Point> points;
};

// Gives the detections of a source's frames their tracks, one frame after the other.
class FrameTracker {
public:
    // Someone who tracks later, over all lines of a source together, only needs what was observed.
    enum class Mode { track, observe };

    // `regions`: lines and zones that are to count.
    explicit FrameTracker(const TrackerSettings& settings, Mode mode = Mode::track,
                          const std::optional<Regions>& regions = std::nullopt);

    // Other thresholds from now on; who has a number keeps it.
    void use(const TrackerSettings& settings);
    // Counts in these from now on; those that are where they were go on.
    void count_in(const Regions& regions);
    // Detections that are to be given to step(): those above this score.
    float weakest() const { return settings_.weak; }
    // Sets the result's tracks and counts, and drops weak detections without one. `states` and
    // `columns` as observe() has them.
    void step(FrameResult& result, std::span<const float> states, size_t columns);
    // The same for what was observed earlier. `kept` says which detections stay.
    struct Kept {
        size_t thing;
        uint32_t track;
    };
    std::span<const Kept> step(const Observations& observations);

    const Observations& observed() const { return observed_; }  // in the last frame
    const std::vector<Trail>& trails() const { return trails_; }
    const Tracker& tracker() const { return tracker_; }
    const RegionCounter* counter() const { return counter_ ? &*counter_ : nullptr; }

private:
    void draw_trails(double time);
    void count(const Observations& frame);

    TrackerSettings settings_;
    Mode mode_;
    Tracker tracker_;
    std::optional<RegionCounter> counter_;
    Observations observed_;
    std::vector<Kept> kept_;
    std::vector<TrackSeen> seen_;
    std::vector<Trail> trails_;
};

}  // namespace saccade
