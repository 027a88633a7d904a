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

// Something with a number in a frame: an object that is there, or a track.
struct NumberedBox {
    uint64_t number = 0;
    Rectangle box;
};

// How well tracks keep who is who, as trackers are compared: MOTA (Bernardin and Stiefelhagen 2008)
// and IDF1 (Ristani and others 2016). A track is on an object where they overlap by half of both
// together; labels are the detector's matter.
class IdentityScore {
public:
    // The next frame of a source. Nothing is the same as in a source before.
    void add(std::span<const NumberedBox> objects, std::span<const NumberedBox> tracks);
    // The same for a frame whose source knows the numbers; otherwise nothing.
    void add(const FrameResult& result);

    uint64_t objects() const { return objects_; }  // in all frames together
    uint64_t missed() const { return missed_; }
    uint64_t wrong() const { return wrong_; }        // tracks where nothing is
    uint64_t switches() const { return switches_; }  // an object has another track than before
    // 1 - (missed + wrong + switches) / objects; 1 if there was nothing to get wrong.
    double mota() const;
    // Each object and one track belong together for good, so that most boxes are right: the part of
    // all boxes that is, 2 right / (objects + tracks).
    double idf1() const;

private:
    using Pair = std::pair<uint64_t, uint64_t>;  // object, track

    uint64_t boxes_with_right_number() const;

    uint64_t objects_ = 0, tracks_ = 0, missed_ = 0, wrong_ = 0, switches_ = 0;
    std::map<uint64_t, uint64_t> track_of_;  // of each object, the last one
    std::map<Pair, uint32_t> together_;      // in how many frames
    Assignment assignment_;
    std::vector<float> costs_;
};

}  // namespace saccade
