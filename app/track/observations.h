#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/frame/frame_result.h"
#include "gpu/core/geometry.h"

namespace saccade {

// What a detector saw at one place.
struct Observation {
    Rectangle box;
    float score = 0;
    uint32_t label = 0;
    bool operator==(const Observation&) const = default;
};

// All that a tracker is told of one frame. It is enough to track again later: see append().
struct Observations {
    uint64_t frame = 0;
    double time = 0;  // seconds
    Size size;        // of the frame
    std::vector<Observation> things;
    // What each thing looks like: a direction in some room that the detector knows, as bytes. Things
    // that look alike point alike. The size is 0 where nobody knows.
    uint32_t look_size = 0;
    std::vector<int8_t> looks;

    std::span<const int8_t> look(size_t thing) const {
        return std::span(looks).subspan(thing * look_size, look_size);
    }
    bool operator==(const Observations&) const = default;
};

// Of a result's detections. `states` has `columns` numbers for each of the detector's queries, see
// Findings::query_states(); it may be empty.
void observe(Observations& to, const FrameResult& result, std::span<const float> states,
             size_t columns);

// As bytes, one frame after the other, and back: takes the first frame from the bytes. An Error
// where they are no frame.
void append(std::string& bytes, const Observations& observations);
Observations take_first(std::string_view& bytes);

}  // namespace saccade
