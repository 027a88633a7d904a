#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/frame/frame_result.h"
#include "app/track/region_counter.h"
#include "app/track/tracker.h"

namespace saccade {

// The positions of a track in the last seconds, the newest last.
struct Trail {
    struct Point {
        double time;
        glm::vec2 place;
    };
    static constexpr double seconds = 2;

    uint32_t number = 0;
    std::vector<Point> points;
};

// Assigns tracks to the detections of a source, frame after frame.
class FrameTracker {
public:
    // `observe` only records observations, for tracking later over the joined parts of a run.
    enum class Mode { track, observe };

    // `regions`: lines and zones that count tracks.
    explicit FrameTracker(const TrackerSettings& settings, Mode mode = Mode::track,
                          const std::optional<Regions>& regions = std::nullopt);

    // Changes the thresholds; tracks keep their numbers.
    void use(const TrackerSettings& settings);
    // Changes the lines and zones; those that did not move keep their counts.
    void count_in(const Regions& regions);
    // step() needs all detections above this score.
    float weakest() const { return settings_.weak; }
    // Sets the result's tracks and counts, and drops weak detections without a track. For `states`
    // and `columns`, see observe().
    void step(FrameResult& result, std::span<const float> states, size_t columns);
    // The same for recorded observations. Returns the detections that are kept.
    struct Kept {
        size_t detection;
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
    std::optional<uint64_t> scene_;  // of the last frame
};

}  // namespace saccade
