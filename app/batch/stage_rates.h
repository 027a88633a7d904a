#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/frame/source_name.h"
#include "app/pipeline/frame_path.h"

namespace saccade {

// The throughput of one stage, in frames per second.
struct StageRate {
    std::string stage;
    double rate = 0;
};

// The throughput of each stage of a batch alone, and of all together.
struct StageRates {
    Size size;                                 // of the frames
    uint32_t at_once = 1;                      // frames in a batch of the models
    std::vector<StageRate> alone;              // in the order of a frame's path
    double without_video = 0, with_video = 0;  // all stages together

    const StageRate& slowest() const;
};

struct StageRatesOptions {
    SourceName source;
    double seconds = 3;                         // the longest that one measurement takes
    std::optional<Size> within = std::nullopt;  // the detector's input is resized to fit into it
    bool quiet = false;
};

// Measures one stage after the other, and then all together. Every stage except decoding gets the
// source's first frame again and again, so that the decoder does not limit it. Outputs go to a
// temporary folder.
StageRates measure_stages(Engine& engine, const Models& models, const StageRatesOptions& options);

}  // namespace saccade
