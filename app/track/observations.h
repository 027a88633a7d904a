#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/frame/frame_result.h"
#include "gpu/core/geometry.h"

namespace saccade {

// A detection as a tracker sees it.
struct Observation {
    Rectangle box;
    float score = 0;
    uint32_t label = 0;
    bool operator==(const Observation&) const = default;
};

// The input of a tracker for one frame. Recorded with append(), it can be tracked again later.
struct Observations {
    uint64_t frame = 0;
    double time = 0;  // seconds
    Size size;        // of the frame
    // The source has been cut or sought before this frame; not recorded.
    bool cut = false;
    std::vector<Observation> detections;
    // The appearance embedding of each detection, quantized to bytes; only its direction counts.
    // The size is 0 if the detector has none.
    uint32_t embedding_size = 0;
    std::vector<int8_t> embeddings;

    std::span<const int8_t> embedding(size_t detection) const {
        return std::span(embeddings).subspan(detection * embedding_size, embedding_size);
    }
    bool operator==(const Observations&) const = default;
};

// Takes the observations from a result. `states` is (queries, columns), see
// Findings::query_states(); it may be empty.
void observe(Observations& to, const FrameResult& result, std::span<const float> states,
             size_t columns);

// Serializes a frame behind others, and reads the first one back, removing it from `bytes`. An
// Error if the bytes are damaged.
void append(std::string& bytes, const Observations& observations);
Observations take_first(std::string_view& bytes);

}  // namespace saccade
