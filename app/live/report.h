#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/frame/score.h"
#include "app/live/stage_times.h"
#include "app/live/state.h"
#include "gpu/core/device.h"

namespace saccade {

// A model as the panels show it.
struct ModelReport {
    std::string name;                // what runs; empty: none
    std::string loading;             // what will take its place
    float progress = 0;              // of loading, 0 to 1
    std::string error;               // why it did not
    std::vector<std::string> known;  // names to choose from
};

// What the loop tells about itself.
struct LiveReport {
    std::string device, source, source_state;
    ModelReport detector, classifier, captioner;
    std::vector<std::string> labels;  // of the detector's classes
    std::vector<PresentMode> present_modes{PresentMode::fifo};

    double frames_per_second = 0;
    uint64_t frames = 0, dropped = 0;
    double latency_ms = 0;  // from capture to screen
    double gpu_idle = 0;    // part of the time, over the last frames
    MemoryUse memory;
    StageTimes stages;
    std::optional<Score> score;  // where the source knows what is there
    std::string shader_error;    // of a shader that is being written
    std::string notice;          // "saved saccade-1.png", or what went wrong
    double recorded_seconds = 0;
};

}  // namespace saccade
