#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "app/frame/frame_result.h"
#include "app/track/assignment.h"
#include "gpu/core/geometry.h"

namespace saccade {

// A box with an identity: of a ground-truth object, or of a track.
struct NumberedBox {
    uint64_t number = 0;
    Rectangle box;
};

// MOTA (Bernardin and Stiefelhagen 2008) and IDF1 (Ristani et al. 2016). A track matches an object
// at an IoU of at least 0.5; labels do not count.
class IdentityScore {
public:
    // Adds the next frame. Identities are unique over all sources.
    void add(std::span<const NumberedBox> objects, std::span<const NumberedBox> tracks);
    // The same for a frame that has ground truth; others are ignored.
    void add(const FrameResult& result);

    uint64_t objects() const { return objects_; }    // ground-truth boxes in all frames
    uint64_t missed() const { return missed_; }      // false negatives
    uint64_t wrong() const { return wrong_; }        // false positives
    uint64_t switches() const { return switches_; }  // an object gets another track than before
    // 1 - (missed + wrong + switches) / objects; 1 for an empty source.
    double mota() const;
    // 2 IDTP / (objects + tracks): each object is matched with one track for the whole run, so that
    // most boxes are right.
    double idf1() const;

private:
    using Pair = std::pair<uint64_t, uint64_t>;  // object, track

    uint64_t boxes_with_right_number() const;

    uint64_t objects_ = 0, tracks_ = 0, missed_ = 0, wrong_ = 0, switches_ = 0;
    std::map<uint64_t, uint64_t> track_of_;  // of each object, the last one
    std::map<Pair, uint32_t> together_;      // in how many frames a pair matches
    Assignment assignment_;
    std::vector<float> costs_;
};

}  // namespace saccade
