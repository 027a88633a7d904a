#include "app/track/tracker.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "app/frame/score.h"

namespace saccade {

namespace {

constexpr uint32_t unassigned = Assignment::unassigned;
constexpr float never = 10;  // a cost above `limit`
constexpr float limit = 1;

// When a detection may belong to a track.
constexpr float least_overlap = 0.2f, least_weak_overlap = 0.4f, sure_overlap = 0.5f;
constexpr float far = 4;             // Mahalanobis distance from a lost track's prediction
constexpr float near_by = 1.2f;      // box sizes from a lost track's last position
constexpr float alike = 0.3f;        // similarity of the same object; 0: that of different ones
constexpr float very_alike = 0.85f;  // the same, for another label
constexpr float embedding_momentum = 0.9f;
constexpr float sure = 1.2f;        // sum of scores that confirms a track
constexpr double doubt = 0.2;       // seconds after which a tentative track is dropped
constexpr float same_place = 0.7f;  // an IoU that two different objects never have
constexpr float same_part = 0.8f;   // of the smaller box inside the other, for one label
constexpr float shrinks = 0.2f;     // the most by which an object shrinks in a second
constexpr float rest = 0.5f;        // of an occluded object, the most that a visible part covers

float side_length(const Rectangle& box) { return std::sqrt(std::max(box.area(), 0.0f)); }

// The cosine between a track's embedding, which is normalized, and a detection's.
float cosine(std::span<const float> embedding, std::span<const int8_t> other) {
    float dot = 0;
    int32_t square = 0;
    for (size_t i = 0; i < other.size(); ++i) {
        dot += embedding[i] * static_cast<float>(other[i]);
        square += other[i] * other[i];
    }
    return square > 0 ? dot / std::sqrt(static_cast<float>(square)) : 0;
}

// The same between two detections.
float cosine(std::span<const int8_t> a, std::span<const int8_t> b) {
    int32_t dot = 0, square_a = 0, square_b = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        dot += a[i] * b[i];
        square_a += a[i] * a[i];
        square_b += b[i] * b[i];
    }
    const float squares = static_cast<float>(square_a) * static_cast<float>(square_b);
    return squares > 0 ? static_cast<float>(dot) / std::sqrt(squares) : 0;
}

// Moving average: embedding = keep embedding + (1 - keep) other, normalized.
void blend(std::vector<float>& embedding, std::span<const int8_t> other, float keep) {
    int32_t square = 0;
    for (const int8_t x : other) square += x * x;
    if (square == 0) return;
    const float part = (1 - keep) / std::sqrt(static_cast<float>(square));
    float sum = 0;
    for (size_t i = 0; i < other.size(); ++i) {
        embedding[i] = keep * embedding[i] + part * static_cast<float>(other[i]);
        sum += embedding[i] * embedding[i];
    }
    const float scale = sum > 0 ? 1 / std::sqrt(sum) : 0;
    for (float& x : embedding) x *= scale;
}

// Whether a detection is a duplicate of a track's: almost the same box, or a part with its label.
bool is_same(const Track& track, const Observation& detection) {
    if (iou(track.box, detection.box) > same_place) return true;
    const Rectangle shared{glm::max(track.box.min, detection.box.min),
                           glm::min(track.box.max, detection.box.max)};
    if (track.label != detection.label || !(shared.size().x > 0 && shared.size().y > 0))
        return false;
    return shared.area() > same_part * std::min(track.box.area(), detection.box.area());
}

// Whether a detection may be the visible part of a lost, occluded object.
bool is_rest_of(const Track& track, const Observation& detection) {
    if (track.number == 0 || track.label != detection.label) return false;
    const Rectangle shared{glm::max(track.box.min, detection.box.min),
                           glm::min(track.box.max, detection.box.max)};
    return shared.size().x > 0 && shared.size().y > 0 &&
           shared.area() > same_part * detection.box.area() &&
           detection.box.area() < rest * track.box.area();
}

}  // namespace

TrackerSettings tracking_for(float threshold) {
    return {.strong = threshold, .weak = 0.4f * threshold};
}

std::span<const uint32_t> Tracker::step(const Observations& frame) {
    advance(frame);
    learn_strangers(frame);
    track_of_.assign(frame.detections.size(), unassigned);
    taken_.assign(tracks_.size(), 0);
    const uint32_t numbers = numbers_, found_again = found_again_;
    match(frame, Round::strong);
    match(frame, Round::weak);
    if (is_cut(frame)) {
        numbers_ = numbers;
        found_again_ = found_again;
        forget_all();
        track_of_.assign(frame.detections.size(), unassigned);
        began_anew_ = true;
    }
    begin_tracks(frame);
    result_.assign(frame.detections.size(), 0);
    for (size_t i = 0; i < frame.detections.size(); ++i)
        if (track_of_[i] != unassigned) result_[i] = tracks_[track_of_[i]].number;
    forget_lost(frame.time);
    return result_;
}

void Tracker::advance(const Observations& frame) {
    const double time = frame.time;
    began_anew_ = time < time_ || (frame.cut && time - time_ > settings_.patience);
    if (began_anew_) {
        forget_all();
        time_ = time;
    }
    const auto seconds = static_cast<float>(time - time_);
    time_ = time;
    for (Track& track : tracks_) track.motion.predict(seconds);
}

void Tracker::forget_all() {
    for (Track& track : tracks_) spare_embeddings_.push_back(std::move(track.embedding));
    tracks_.clear();
}

// Whether the scene has been cut: few tracks of the frame before go on, and most detections are
// new. One track and one detection are enough where the picture itself has been cut.
bool Tracker::is_cut(const Observations& frame) const {
    size_t were = 0, are = 0, strong = 0, strangers = 0;
    for (size_t i = 0; i < tracks_.size(); ++i) {
        if (tracks_[i].number == 0 || tracks_[i].was_lost) continue;
        ++were;
        if (taken_[i]) ++are;
    }
    for (size_t i = 0; i < frame.detections.size(); ++i) {
        if (!(frame.detections[i].score > settings_.strong)) continue;
        ++strong;
        if (track_of_[i] == unassigned) ++strangers;
    }
    const size_t least = frame.cut ? 1 : 2;
    return were >= least && strangers >= least && 3 * are <= were && 2 * strangers > strong;
}

// The scale of similarities depends on the detector. Two strong detections of one frame that do not
// overlap are different objects: the mean of their cosines is the zero of the scale.
void Tracker::learn_strangers(const Observations& frame) {
    constexpr float slowly = 0.02f;
    if (frame.embedding_size == 0) return;
    for (size_t i = 1; i < frame.detections.size(); ++i) {
        const Observation &a = frame.detections[i - 1], &b = frame.detections[i];
        if (!(b.score > settings_.strong) || iou(a.box, b.box) > 0) continue;
        const float like = cosine(frame.embedding(i - 1), frame.embedding(i));
        strangers_ += slowly * (std::clamp(like, 0.0f, 0.95f) - strangers_);
    }
}

// Strong detections may belong to any track, weak ones to confirmed tracks only.
void Tracker::match(const Observations& frame, Round round) {
    rows_.clear();
    columns_.clear();
    for (uint32_t i = 0; i < frame.detections.size(); ++i) {
        const float score = frame.detections[i].score;
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
        if (chosen[i] == unassigned) continue;
        const uint32_t track = columns_[chosen[i]];
        track_of_[rows_[i]] = track;
        taken_[track] = 1;
        update(tracks_[track], frame, rows_[i]);
    }
}

float Tracker::cost_of(const Track& track, const Observations& frame, size_t detection,
                       Round round) const {
    const Observation& seen = frame.detections[detection];
    float part = iou(track.motion.box(), seen.box);
    const bool same_label = track.label == seen.label;
    if (round == Round::weak) return same_label && part >= least_weak_overlap ? 1 - part : never;
    // A lost object may have changed its direction, or may not have moved at all: its box shrinks
    // at the occluder's edge, and so seems to move.
    const float side = std::max(side_length(seen.box), track.side);
    if (track.lost) part = std::max(part, iou(track.box, seen.box));
    const bool near = track.motion.distance(seen.box) < far ||
                      glm::distance(track.box.middle(), seen.box.middle()) < near_by * side;
    if (part < least_overlap && !(track.lost && near)) return never;
    float like = same_label ? 1 : 0;
    if (settings_.embeddings && frame.embedding_size > 0 &&
        track.embedding.size() == frame.embedding_size)
        like =
            (cosine(track.embedding, frame.embedding(detection)) - strangers_) / (1 - strangers_);
    if (like < (same_label ? part < least_overlap ? alike : -1 : very_alike)) return never;
    return 1 - 0.7f * part - 0.3f * std::max(like, 0.0f);
}

void Tracker::update(Track& track, const Observations& frame, size_t detection) {
    const Observation& seen = frame.detections[detection];
    track.motion.update(seen.box);
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
    if (seen.score > settings_.strong && track.embedding.size() == frame.embedding_size)
        blend(track.embedding, frame.embedding(detection), embedding_momentum);
    track.sureness += seen.score;
    if (track.number == 0 && track.sureness >= sure) track.number = ++numbers_;
}

void Tracker::begin_tracks(const Observations& frame) {
    for (size_t i = 0; i < frame.detections.size(); ++i) {
        const Observation& detection = frame.detections[i];
        if (track_of_[i] != unassigned || !(detection.score > settings_.strong)) continue;
        // Two queries may detect the same object.
        const bool known = std::ranges::any_of(tracks_, [&](const Track& track) {
            return track.seen == frame.time ? is_same(track, detection)
                                            : is_rest_of(track, detection);
        });
        if (known) continue;
        Track track;
        track.label = detection.label;
        track.label_weight = track.sureness = detection.score;
        track.since = track.seen = frame.time;
        track.motion = BoxMotion(detection.box);
        track.box = detection.box;
        track.side = side_length(detection.box);
        if (!spare_embeddings_.empty()) {
            track.embedding = std::move(spare_embeddings_.back());
            spare_embeddings_.pop_back();
        }
        track.embedding.assign(frame.embedding_size, 0);
        if (frame.embedding_size > 0) blend(track.embedding, frame.embedding(i), 0);
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
        if (is_over(track)) spare_embeddings_.push_back(std::move(track.embedding));
    std::erase_if(tracks_, is_over);
}

}  // namespace saccade
