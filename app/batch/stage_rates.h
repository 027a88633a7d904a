#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/pipeline/frame_path.h"

namespace saccade {

// How many frames a second a stage of the path can do.
struct StageRate {
    std::string stage;
    double rate = 0;
};

// What a batch could do on this machine, if it were only for one stage; and what it does.
struct StageRates {
    Size size;                                 // of the frames
    uint32_t at_once = 1;                      // frames that the models see together
    std::vector<StageRate> alone;              // in the order of a frame's path
    double without_video = 0, with_video = 0;  // all stages together

    const StageRate& slowest() const;
};

struct StageRatesOptions {
    std::string source;
    double seconds = 3;                         // that each measurement takes at most
    std::optional<Size> within = std::nullopt;  // that the detector's input is to fit into
    bool quiet = false;
};

// Takes frames along the path, of one stage after the other and then of all. Every stage but the
// first sees the source's first frame again and again, so that the source is not what is measured.
// What is written goes to a folder that is gone afterwards.
StageRates measure_stages(Engine& engine, const Models& models, const StageRatesOptions& options);

}  // namespace saccade
