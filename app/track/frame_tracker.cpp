#include "app/track/frame_tracker.h"

#include <algorithm>
#include <utility>

namespace saccade {

FrameTracker::FrameTracker(const TrackerSettings& settings, Mode mode,
                           const std::optional<Regions>& regions)
    : settings_(settings), mode_(mode), tracker_(settings) {
    if (regions) count_in(*regions);
}

void FrameTracker::count_in(const Regions& regions) {
    if (regions.all.empty())
        counter_.reset();
    else if (counter_)
        counter_.emplace(RegionCounter(regions, *counter_));
    else
        counter_.emplace(regions, settings_.patience);
}

void FrameTracker::use(const TrackerSettings& settings) {
    settings_ = settings;
    tracker_.use(settings);
}

void FrameTracker::step(FrameResult& result, std::span<const float> states, size_t columns) {
    observe(observed_, result, states, columns);
    const uint64_t scene = result.info.scene;
    observed_.cut = std::exchange(scene_, scene).value_or(scene) != scene;
    if (mode_ == Mode::observe || !result.detections) return;
    std::vector<Detection>& detections = *result.detections;
    result.tracks.clear();
    for (const Kept& kept : step(observed_)) {
        // The order is kept, so no detection is overwritten before it is read.
        if (kept.detection != result.tracks.size())
            detections[result.tracks.size()] = std::move(detections[kept.detection]);
        result.tracks.push_back(kept.track);
    }
    detections.resize(result.tracks.size());
    if (!counter_) return;
    result.counts = counter_->counts();
    result.events.assign(counter_->events().begin(), counter_->events().end());
}

std::span<const FrameTracker::Kept> FrameTracker::step(const Observations& observations) {
    const std::span<const uint32_t> numbers = tracker_.step(observations);
    kept_.clear();
    for (size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] > 0 || observations.detections[i].score > settings_.strong)
            kept_.push_back({i, numbers[i]});
    if (tracker_.began_anew()) trails_.clear();
    draw_trails(observations.time);
    if (counter_) count(observations);
    return kept_;
}

void FrameTracker::count(const Observations& frame) {
    seen_.clear();
    for (const Kept& kept : kept_) {
        const Observation& detection = frame.detections[kept.detection];
        seen_.push_back({kept.track, detection.label, detection.score, detection.box});
    }
    if (tracker_.began_anew()) counter_->end_tracks();
    counter_->step(frame.time, frame.frame, frame.size, seen_);
}

void FrameTracker::draw_trails(double time) {
    for (const Track& track : tracker_.tracks()) {
        if (track.number == 0 || track.lost) continue;
        auto trail = std::ranges::find(trails_, track.number, &Trail::number);
        if (trail == trails_.end()) trail = trails_.insert(trail, Trail{track.number, {}});
        trail->points.push_back({time, track.box.middle()});
    }
    for (Trail& trail : trails_)
        std::erase_if(trail.points, [&](const Trail::Point& point) {
            return time - point.time > Trail::seconds;
        });
    std::erase_if(trails_, [](const Trail& trail) { return trail.points.empty(); });
}

}  // namespace saccade
