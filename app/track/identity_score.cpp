#include "app/track/identity_score.h"

#include <algorithm>
#include <numeric>

#include "app/frame/score.h"

namespace saccade {

namespace {

constexpr float on_object = 0.5f;

// Union-find over objects and tracks that match in some frame. Each connected component is assigned
// on its own, because pairs that never match do not change the assignment.
class Components {
public:
    explicit Components(size_t count) : leader_(count) {
        std::iota(leader_.begin(), leader_.end(), size_t{0});
    }
    size_t leader(size_t i) {
        while (leader_[i] != i) i = leader_[i] = leader_[leader_[i]];
        return i;
    }
    void join(size_t a, size_t b) { leader_[leader(a)] = leader(b); }

private:
    std::vector<size_t> leader_;
};

// Maps each number to a consecutive index.
size_t place_of(std::map<uint64_t, size_t>& places, uint64_t number) {
    return places.emplace(number, places.size()).first->second;
}

}  // namespace

void IdentityScore::add(std::span<const NumberedBox> objects, std::span<const NumberedBox> tracks) {
    costs_.assign(objects.size() * tracks.size(), 1);
    for (size_t i = 0; i < objects.size(); ++i)
        for (size_t j = 0; j < tracks.size(); ++j) {
            const float part = iou(objects[i].box, tracks[j].box);
            if (part < on_object) continue;
            ++together_[{objects[i].number, tracks[j].number}];
            // A match of the frame before is kept, as MOTA demands.
            const auto last = track_of_.find(objects[i].number);
            const bool still = last != track_of_.end() && last->second == tracks[j].number;
            costs_[i * tracks.size() + j] = still ? -1000 : 1 - part;
        }
    uint64_t matched = 0;
    const auto track_of = assignment_.solve(costs_, objects.size(), tracks.size(), 1);
    for (size_t i = 0; i < objects.size(); ++i) {
        if (track_of[i] == Assignment::unassigned) continue;
        ++matched;
        const uint64_t track = tracks[track_of[i]].number;
        const auto [last, first_time] = track_of_.emplace(objects[i].number, track);
        if (!first_time && std::exchange(last->second, track) != track) ++switches_;
    }
    objects_ += objects.size();
    tracks_ += tracks.size();
    missed_ += objects.size() - matched;
    wrong_ += tracks.size() - matched;
}

void IdentityScore::add(const FrameResult& result) {
    if (!result.info.truth || !result.detections) return;
    std::vector<NumberedBox> objects, tracks;
    for (const TrueObject& object : result.info.truth->objects)
        objects.push_back({object.object, object.box});
    for (size_t i = 0; i < result.tracks.size(); ++i)
        if (result.tracks[i] > 0) tracks.push_back({result.tracks[i], (*result.detections)[i].box});
    add(objects, tracks);
}

double IdentityScore::mota() const {
    if (objects_ == 0) return wrong_ == 0 ? 1 : 0;
    return 1 - double(missed_ + wrong_ + switches_) / double(objects_);
}

double IdentityScore::idf1() const {
    if (objects_ + tracks_ == 0) return 1;
    return 2 * double(boxes_with_right_number()) / double(objects_ + tracks_);
}

uint64_t IdentityScore::boxes_with_right_number() const {
    std::map<uint64_t, size_t> objects, tracks;
    for (const auto& [pair, frames] : together_) {
        place_of(objects, pair.first);
        place_of(tracks, pair.second);
    }
    Components components(objects.size() + tracks.size());
    for (const auto& [pair, frames] : together_)
        components.join(objects[pair.first], objects.size() + tracks[pair.second]);
    std::map<size_t, std::vector<std::pair<Pair, uint32_t>>> groups;
    for (const auto& entry : together_)
        groups[components.leader(objects[entry.first.first])].push_back(entry);

    uint64_t right = 0;
    Assignment assignment;
    std::vector<float> costs;
    for (const auto& [leader, pairs] : groups) {
        std::map<uint64_t, size_t> rows, columns;
        for (const auto& [pair, frames] : pairs) {
            place_of(rows, pair.first);
            place_of(columns, pair.second);
        }
        costs.assign(rows.size() * columns.size(), 0);
        for (const auto& [pair, frames] : pairs)
            costs[rows[pair.first] * columns.size() + columns[pair.second]] =
                -static_cast<float>(frames);
        const auto chosen = assignment.solve(costs, rows.size(), columns.size(), 0);
        for (size_t row = 0; row < rows.size(); ++row)
            if (chosen[row] != Assignment::unassigned)
                right += static_cast<uint64_t>(-costs[row * columns.size() + chosen[row]]);
    }
    return right;
}

}  // namespace saccade
