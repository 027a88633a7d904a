#include "app/track/region_counter.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <limits>
#include <utility>

#include "app/frame/score.h"

namespace saccade {

namespace {

// The hysteresis, relative to an object's size, or to the distance of the picture's edge where that
// is less. It is smaller for zones, which may be no larger than an object.
constexpr float clear_of_line = 0.5f, clear_of_zone = 0.35f;
constexpr float same_overlap = 0.2f;  // the least IoU of an object in consecutive frames
constexpr double remembered = 0.2;    // seconds that a detection without a track is remembered
constexpr float hidden_part = 0.05f;  // the least part of an object that an occluder covers

float size_of(const Rectangle& box) { return std::sqrt(std::max(box.area(), 0.0f)); }

// The distance from the middle of a line to the edge of the picture, on one side.
float room_beyond(const Region& line, bool right, Size picture) {
    const glm::vec2 middle = (line.corners[0] + line.corners[1]) / 2.0f;
    const glm::vec2 way = glm::normalize(line.corners[1] - line.corners[0]);
    const glm::vec2 out = right ? glm::vec2(-way.y, way.x) : glm::vec2(way.y, -way.x);
    float room = std::numeric_limits<float>::max();
    for (const int axis : {0, 1}) {
        const float end = out[axis] > 0 ? static_cast<float>(picture[axis]) : 0.0f;
        if (std::abs(out[axis]) > 1e-6f) room = std::min(room, (end - middle[axis]) / out[axis]);
    }
    return std::max(room, 0.0f);
}

bool touches_edge(const Rectangle& box, Size picture) {
    const AtEdge x = at_edge(box, 0, picture), y = at_edge(box, 1, picture);
    return x.low || x.high || y.low || y.high;
}

}  // namespace

RegionCounter::RegionCounter(Regions regions, double patience)
    : drawn_(std::move(regions)), regions_(drawn_), patience_(patience) {
    for (const Region& region : drawn_.all) counts_.push_back({region.name, region.zone, {}});
    stays_.resize(drawn_.all.size());
}

RegionCounter::RegionCounter(Regions regions, const RegionCounter& before)
    : RegionCounter(std::move(regions), before.patience_) {
    time_ = before.time_;
    tracks_ = before.tracks_;
    unnumbered_ = before.unnumbered_;
    for (Followed& track : tracks_) track.places.assign(drawn_.all.size(), {});
    if (drawn_.size != before.drawn_.size) return;
    for (size_t i = 0; i < drawn_.all.size(); ++i) {
        const auto same = std::ranges::find_if(before.drawn_.all, [&](const Region& other) {
            const Region& region = drawn_.all[i];
            return region.zone == other.zone && region.corners == other.corners &&
                   region.anchor == other.anchor;
        });
        if (same == before.drawn_.all.end()) continue;
        const auto j = static_cast<size_t>(same - before.drawn_.all.begin());
        counts_[i].classes = before.counts_[j].classes;
        stays_[i] = before.stays_[j];
        for (size_t k = 0; k < tracks_.size(); ++k)
            tracks_[k].places[i] = before.tracks_[k].places[j];
    }
}

// Scales the regions from the picture that they were drawn on to the frame.
void RegionCounter::fit(Size size) {
    if (size == size_) return;
    size_ = size;
    if (!drawn_.size) return;
    const glm::vec2 scale = glm::vec2(size) / glm::vec2(*drawn_.size);
    for (size_t i = 0; i < drawn_.all.size(); ++i)
        for (size_t j = 0; j < drawn_.all[i].corners.size(); ++j)
            regions_.all[i].corners[j] = drawn_.all[i].corners[j] * scale;
}

void RegionCounter::step(double time, uint64_t frame, Size size,
                         std::span<const TrackSeen> tracks) {
    fit(size);
    events_.clear();
    // Or the source has restarted.
    if (std::exchange(ended_, false) || time < time_) {
        forget_lost(time_ + 2 * patience_);
        unnumbered_.clear();
    }
    time_ = time;
    for (const TrackSeen& seen : tracks) {
        if (seen.track == 0) continue;
        Followed& track = follow(seen, tracks);
        track.seen = time;
        track.frame = frame;
        look(track, seen.box);
        look_behind(track, seen.box);
    }
    remember_unnumbered(tracks, frame);
    forget_lost(time);  // last, so that tracks found again in this frame are kept
    for (size_t i = 0; i < counts_.size(); ++i)
        for (const RegionCounts::OfClass& of : counts_[i].classes)
            if (counts_[i].zone) {
                Stays& stays = stays_of(i, of.id);
                stays.most = std::max(stays.most, of.inside);
            }
}

void RegionCounter::look(Followed& track, const Rectangle& box) {
    const std::optional<Rectangle> whole = track.whole.see(box, track.seen, size_);
    if (!whole) return;
    for (size_t i = 0; i < regions_.all.size(); ++i)
        if (regions_.all[i].zone)
            look_at_zone(i, track.places[i], track, *whole);
        else
            look_at_line(i, track.places[i], track, *whole);
}

// Counts the lines that the track crossed while it was occluded, before it was first seen.
void RegionCounter::look_behind(Followed& track, const Rectangle& box) {
    const std::optional<Rectangle> from = track.hidden.came_from(box, track.seen, patience_, size_);
    if (!from) return;
    for (size_t i = 0; i < regions_.all.size(); ++i) {
        Place& place = track.places[i];
        if (regions_.all[i].zone || place.crossed) continue;
        place.known = true;
        place.point = point_of(*from, regions_.all[i].anchor);
        look_at_line(i, place, track, box);
    }
}

// Starts at the track's first detection, when it had no number yet, and notes what occluded it
// then.
void RegionCounter::begin(Followed& track, const TrackSeen& seen, std::span<const TrackSeen> all) {
    Unnumbered first{seen.label, seen.box, time_, track.frame};
    float most = same_overlap;
    for (const Unnumbered& before : unnumbered_) {
        const float part = iou(before.box, seen.box);
        if (before.label != seen.label || part < most) continue;
        most = part;
        first = before;
    }
    float hidden = hidden_part * first.box.area();
    for (const TrackSeen& other : all) {
        if (other.track == 0 || other.track == seen.track) continue;
        const Rectangle shared{glm::max(other.box.min, first.box.min),
                               glm::min(other.box.max, first.box.max)};
        const bool meet = shared.size().x > 0 && shared.size().y > 0;
        if (!meet || shared.area() < hidden) continue;
        hidden = shared.area();
        track.hidden.begin(first.box, other.box, first.time);
    }
    if (first.time == time_) return;
    track.seen = first.time;
    track.frame = first.frame;
    look(track, first.box);
}

void RegionCounter::remember_unnumbered(std::span<const TrackSeen> all, uint64_t frame) {
    std::erase_if(unnumbered_,
                  [&](const Unnumbered& thing) { return time_ - thing.time > remembered; });
    for (const TrackSeen& seen : all)
        if (seen.track == 0) unnumbered_.push_back({seen.label, seen.box, time_, frame});
}

// All detections of a track vote for its class.
RegionCounter::Followed& RegionCounter::follow(const TrackSeen& seen,
                                               std::span<const TrackSeen> all) {
    auto track = std::ranges::find(tracks_, seen.track, &Followed::track);
    if (track == tracks_.end()) {
        Followed added;
        added.track = seen.track;
        added.label = seen.label;
        if (!spare_.empty()) {
            added.places = std::move(spare_.back());
            spare_.pop_back();
        }
        added.places.assign(regions_.all.size(), {});
        tracks_.push_back(std::move(added));
        track = tracks_.end() - 1;
        begin(*track, seen, all);
    }
    // A track inside a zone keeps its class, so that "in" and "out" match for each class.
    const bool counted = std::ranges::any_of(track->places, &Place::inside);
    if (track->label == seen.label) {
        track->weight += seen.score;
    } else if (!counted && (track->weight -= seen.score) < 0) {
        track->label = seen.label;
        track->weight = seen.score;
    }
    return *track;
}

void RegionCounter::look_at_line(size_t region, Place& place, const Followed& track,
                                 const Rectangle& box) {
    const Region& line = regions_.all[region];
    // Lines end at the picture's edge, and an object that leaves the picture goes beyond it.
    const glm::vec2 point = glm::clamp(point_of(box, line.anchor), glm::vec2(0), glm::vec2(size_));
    const float side = side_of(line, point);
    const float clear = clear_of_line * std::min(size_of(box), room_beyond(line, side > 0, size_));
    const bool comes_in = !std::exchange(place.looked, true) && touches_edge(box, size_);
    if (std::abs(side) < clear && !comes_in) return;
    if (place.known && crosses(line, place.point, point)) {
        const bool in = side > 0;
        RegionCounts::OfClass& count = count_of(region, track.label);
        ++(in ? count.in : count.out);
        events_.push_back({region, in, track.track, track.label, track.seen, track.frame, 0});
        place.crossed = true;
    }
    place.known = true;
    place.point = point;
}

void RegionCounter::look_at_zone(size_t region, Place& place, const Followed& track,
                                 const Rectangle& box) {
    const Region& zone = regions_.all[region];
    const float depth = depth_in(zone, point_of(box, zone.anchor));
    if (std::exchange(place.known, true) && std::abs(depth) < clear_of_zone * size_of(box)) return;
    const bool inside = depth > 0;
    if (inside == place.inside) return;
    if (inside) {
        place.inside = true;
        place.since = track.seen;
        enter(region, track);
    } else {
        leave(region, place, track);
    }
}

void RegionCounter::enter(size_t region, const Followed& track) {
    RegionCounts::OfClass& count = count_of(region, track.label);
    ++count.in;
    ++count.inside;
    events_.push_back({region, true, track.track, track.label, track.seen, track.frame, 0});
}

void RegionCounter::leave(size_t region, Place& place, const Followed& track) {
    place.inside = false;
    const double seconds = track.seen - place.since;
    RegionCounts::OfClass& count = count_of(region, track.label);
    ++count.out;
    --count.inside;
    Stays& stays = stays_of(region, track.label);
    stays.seconds += seconds;
    stays.longest = std::max(stays.longest, seconds);
    events_.push_back({region, false, track.track, track.label, track.seen, track.frame, seconds});
}

// A track that vanishes inside a zone leaves it, at the time when it was last seen.
void RegionCounter::forget_lost(double time) {
    auto is_over = [&](const Followed& track) { return time - track.seen > patience_; };
    for (Followed& track : tracks_) {
        if (!is_over(track)) continue;
        for (size_t i = 0; i < track.places.size(); ++i)
            if (track.places[i].inside) leave(i, track.places[i], track);
        spare_.push_back(std::move(track.places));
    }
    std::erase_if(tracks_, is_over);
}

RegionCounts::OfClass& RegionCounter::count_of(size_t region, uint32_t label) {
    std::vector<RegionCounts::OfClass>& classes = counts_[region].classes;
    const auto found = std::ranges::find(classes, label, &RegionCounts::OfClass::id);
    return found != classes.end() ? *found
                                  : classes.emplace_back(RegionCounts::OfClass{.id = label});
}

Stays& RegionCounter::stays_of(size_t region, uint32_t label) {
    const auto found = std::ranges::find(stays_[region], label, &Stays::label);
    return found != stays_[region].end() ? *found
                                         : stays_[region].emplace_back(Stays{.label = label});
}

std::vector<Stays> RegionCounter::stays(size_t region) const {
    std::vector<Stays> stays = stays_[region];
    for (const Followed& track : tracks_) {
        if (!track.places[region].inside) continue;
        const double seconds = track.seen - track.places[region].since;
        const auto of = std::ranges::find(stays, track.label, &Stays::label);
        of->seconds += seconds;
        of->longest = std::max(of->longest, seconds);
    }
    return stays;
}

}  // namespace saccade
