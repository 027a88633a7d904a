#include "app/track/tracker.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "app/frame/score.h"

namespace saccade {

namespace {

constexpr uint32_t nobody = Assignment::nobody;
constexpr float never = 10;  // a cost beyond all limits
constexpr float limit = 1;

// What it takes to belong together.
constexpr float least_overlap = 0.2f, least_weak_overlap = 0.4f, sure_overlap = 0.5f;
constexpr float far = 4;             // deviations from where a lost thing is expected
constexpr float near_by = 1.2f;      // sizes from where it was
constexpr float alike = 0.3f;        // looks of the same thing, where 0 is those of strangers
constexpr float very_alike = 0.85f;  // though it is called otherwise
constexpr float look_memory = 0.9f;  // how much of an old look a new one leaves
constexpr float sure = 1.2f;         // scores that make a number
constexpr double doubt = 0.2;        // seconds that something without a number is waited for
constexpr float same_place = 0.7f;   // an overlap that no two things have
constexpr float same_part = 0.8f;    // and how much of the smaller one, if they are of one kind
constexpr float shrinks = 0.2f;      // part of its size by which a thing may shrink in a second
constexpr float rest = 0.5f;         // of a thing that is hidden, what may show up of it

float side_length(const Rectangle& box) { return std::sqrt(std::max(box.area(), 0.0f)); }

// The cosine between a track's look, which has the length 1, and a thing's.
float likeness(std::span<const float> look, std::span<const int8_t> other) {
    float dot = 0;
    int32_t square = 0;
    for (size_t i = 0; i < other.size(); ++i) {
        dot += look[i] * static_cast<float>(other[i]);
        square += other[i] * other[i];
    }
    return square > 0 ? dot / std::sqrt(static_cast<float>(square)) : 0;
}

// The same between two things.
float likeness(std::span<const int8_t> a, std::span<const int8_t> b) {
    int32_t dot = 0, square_a = 0, square_b = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        dot += a[i] * b[i];
        square_a += a[i] * a[i];
        square_b += b[i] * b[i];
    }
    const float squares = static_cast<float>(square_a) * static_cast<float>(square_b);
    return squares > 0 ? static_cast<float>(dot) / std::sqrt(squares) : 0;
}

// look = keep look + (1 - keep) other, at length 1.
void blend(std::vector<float>& look, std::span<const int8_t> other, float keep) {
    int32_t square = 0;
    for (const int8_t x : other) square += x * x;
    if (square == 0) return;
    const float part = (1 - keep) / std::sqrt(static_cast<float>(square));
    float sum = 0;
    for (size_t i = 0; i < other.size(); ++i) {
        look[i] = keep * look[i] + part * static_cast<float>(other[i]);
        sum += look[i] * look[i];
    }
    const float scale = sum > 0 ? 1 / std::sqrt(sum) : 0;
    for (float& x : look) x *= scale;
}

// Whether something is seen twice: boxes that no two things have, or a part of the same kind.
bool is_same(const Track& track, const Observation& thing) {
    if (overlap(track.box, thing.box) > same_place) return true;
    const Rectangle shared{glm::max(track.box.min, thing.box.min),
                           glm::min(track.box.max, thing.box.max)};
    if (track.label != thing.label || !(shared.size().x > 0 && shared.size().y > 0)) return false;
    return shared.area() > same_part * std::min(track.box.area(), thing.box.area());
}

// Whether something may be all that can be seen of a thing that is hidden.
bool is_rest_of(const Track& track, const Observation& thing) {
    if (track.number == 0 || track.label != thing.label) return false;
    const Rectangle shared{glm::max(track.box.min, thing.box.min),
                           glm::min(track.box.max, thing.box.max)};
    return shared.size().x > 0 && shared.size().y > 0 &&
           shared.area() > same_part * thing.box.area() &&
           thing.box.area() < rest * track.box.area();
}

}  // namespace

TrackerSettings tracking_for(float threshold) {
    return {.strong = threshold, .weak = 0.4f * threshold};
}

std::span<const uint32_t> Tracker::step(const Observations& frame) {
    advance(frame.time);
    learn_strangers(frame);
    track_of_.assign(frame.things.size(), nobody);
    taken_.assign(tracks_.size(), 0);
    const uint32_t numbers = numbers_, found_again = found_again_;
    match(frame, Round::strong);
    match(frame, Round::weak);
    if (is_cut(frame)) {
        numbers_ = numbers;
        found_again_ = found_again;
        forget_all();
        track_of_.assign(frame.things.size(), nobody);
    }
    begin_tracks(frame);
    result_.assign(frame.things.size(), 0);
    for (size_t i = 0; i < frame.things.size(); ++i)
        if (track_of_[i] != nobody) result_[i] = tracks_[track_of_[i]].number;
    forget_lost(frame.time);
    return result_;
}

void Tracker::advance(double time) {
    if (time < time_) {
        forget_all();
        time_ = time;
    }
    const auto seconds = static_cast<float>(time - time_);
    time_ = time;
    for (Track& track : tracks_) track.motion.wait(seconds);
}

void Tracker::forget_all() {
    for (Track& track : tracks_) spare_looks_.push_back(std::move(track.look));
    tracks_.clear();
}

// Whether this is another scene: hardly anybody of the frame before is still there, and others are.
bool Tracker::is_cut(const Observations& frame) const {
    size_t were = 0, are = 0, strong = 0, strangers = 0;
    for (size_t i = 0; i < tracks_.size(); ++i) {
        if (tracks_[i].number == 0 || tracks_[i].was_lost) continue;
        ++were;
        if (taken_[i]) ++are;
    }
    for (size_t i = 0; i < frame.things.size(); ++i) {
        if (!(frame.things[i].score > settings_.strong)) continue;
        ++strong;
        if (track_of_[i] == nobody) ++strangers;
    }
    return were >= 2 && strangers >= 2 && 3 * are <= were && 2 * strangers > strong;
}

// Each detector has its own idea of alike. Two strong things of one frame that lie apart are not
// the same: how alike they look is where likeness begins.
void Tracker::learn_strangers(const Observations& frame) {
    constexpr float slowly = 0.02f;
    if (frame.look_size == 0) return;
    for (size_t i = 1; i < frame.things.size(); ++i) {
        const Observation &a = frame.things[i - 1], &b = frame.things[i];
        if (!(b.score > settings_.strong) || overlap(a.box, b.box) > 0) continue;
        const float like = likeness(frame.look(i - 1), frame.look(i));
        strangers_ += slowly * (std::clamp(like, 0.0f, 0.95f) - strangers_);
    }
}

// Strong things may belong to any track, weak ones to those that are seen.
void Tracker::match(const Observations& frame, Round round) {
    rows_.clear();
    columns_.clear();
    for (uint32_t i = 0; i < frame.things.size(); ++i) {
        const float score = frame.things[i].score;
        const bool strong = score > settings_.strong;
        if (round == Round::strong ? strong : !strong && score > settings_.weak) rows_.push_back(i);
    }
    for (uint32_t i = 0; i < tracks_.size(); ++i)
        if (!taken_[i] && (round == Round::strong || tracks_[i].number > 0)) columns_.push_back(i);
    if (rows_.empty() || columns_.empty()) return;
    costs_.resize(rows_.size() * columns_.size());
    for (size_t i = 0; i < rows_.size(); ++i)
        for (size_t j = 0; j < columns_.size(); ++j)
            costs_[i * columns_.size() + j] = cost_of(tracks_[columns_[j]], frame, rows_[i], round);
    const auto chosen = assignment_.solve(costs_, rows_.size(), columns_.size(), limit);
    for (size_t i = 0; i < rows_.size(); ++i) {
        if (chosen[i] == nobody) continue;
        const uint32_t track = columns_[chosen[i]];
        track_of_[rows_[i]] = track;
        taken_[track] = 1;
        see(tracks_[track], frame, rows_[i]);
    }
}

float Tracker::cost_of(const Track& track, const Observations& frame, size_t thing,
                       Round round) const {
    const Observation& seen = frame.things[thing];
    float part = overlap(track.motion.box(), seen.box);
    const bool same_label = track.label == seen.label;
    if (round == Round::weak) return same_label && part >= least_weak_overlap ? 1 - part : never;
    // What was hidden may have changed its way meanwhile, or has not moved at all: the edge of what
    // hides it makes a box shrink, and seem to move.
    const float side = std::max(side_length(seen.box), track.side);
    if (track.lost) part = std::max(part, overlap(track.box, seen.box));
    const bool near = track.motion.distance(seen.box) < far ||
                      glm::distance(track.box.middle(), seen.box.middle()) < near_by * side;
    if (part < least_overlap && !(track.lost && near)) return never;
    float like = same_label ? 1 : 0;
    if (settings_.looks && frame.look_size > 0 && track.look.size() == frame.look_size)
        like = (likeness(track.look, frame.look(thing)) - strangers_) / (1 - strangers_);
    if (like < (same_label ? part < least_overlap ? alike : -1 : very_alike)) return never;
    return 1 - 0.7f * part - 0.3f * std::max(like, 0.0f);
}

void Tracker::see(Track& track, const Observations& frame, size_t thing) {
    const Observation& seen = frame.things[thing];
    track.motion.see(seen.box);
    const auto seconds = static_cast<float>(frame.time - track.seen);
    track.side = std::max(side_length(seen.box), track.side * (1 - shrinks * seconds));
    track.box = seen.box;
    track.seen = frame.time;
    track.was_lost = std::exchange(track.lost, false);
    if (track.was_lost && track.number > 0) {
        ++found_again_;
        track.found = frame.time;
    }
    if (track.label == seen.label) {
        track.label_weight = std::min(track.label_weight + seen.score, 5.0f);
    } else if ((track.label_weight -= seen.score) < 0) {
        track.label = seen.label;
        track.label_weight = seen.score;
    }
    if (seen.score > settings_.strong && track.look.size() == frame.look_size)
        blend(track.look, frame.look(thing), look_memory);
    track.sureness += seen.score;
    if (track.number == 0 && track.sureness >= sure) track.number = ++numbers_;
}

void Tracker::begin_tracks(const Observations& frame) {
    for (size_t i = 0; i < frame.things.size(); ++i) {
        const Observation& thing = frame.things[i];
        if (track_of_[i] != nobody || !(thing.score > settings_.strong)) continue;
        // A second query may have seen the same thing.
        const bool known = std::ranges::any_of(tracks_, [&](const Track& track) {
            return track.seen == frame.time ? is_same(track, thing) : is_rest_of(track, thing);
        });
        if (known) continue;
        Track track;
        track.label = thing.label;
        track.label_weight = track.sureness = thing.score;
        track.since = track.seen = frame.time;
        track.motion = BoxMotion(thing.box);
        track.box = thing.box;
        track.side = side_length(thing.box);
        if (!spare_looks_.empty()) {
            track.look = std::move(spare_looks_.back());
            spare_looks_.pop_back();
        }
        track.look.assign(frame.look_size, 0);
        if (frame.look_size > 0) blend(track.look, frame.look(i), 0);
        track_of_[i] = static_cast<uint32_t>(tracks_.size());
        if (track.sureness >= sure) track.number = ++numbers_;
        tracks_.push_back(std::move(track));
    }
}

void Tracker::forget_lost(double time) {
    for (Track& track : tracks_) {
        track.lost = track.was_lost = track.seen < time;
        if (track.lost) track.motion.keep_size();
    }
    auto is_over = [&](const Track& track) {
        return time - track.seen > (track.number > 0 ? settings_.patience : doubt);
    };
    for (Track& track : tracks_)
        if (is_over(track)) spare_looks_.push_back(std::move(track.look));
    std::erase_if(tracks_, is_over);
}

}  // namespace saccade
