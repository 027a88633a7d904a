#pragma once

#include <cstdint>
#include <vector>

#include "app/live/wall/audience.h"
#include "app/live/wall/source_list.h"
#include "app/live/wall/wall.h"
#include "gpu/engine.h"

namespace saccade {

struct HeadlessOptions {
    Wishes wishes;                     // to begin with, for all sources
    std::vector<NamedSource> sources;  // at least one
    EngineOptions engine;
    CaptureOptions capture;
    uint64_t frames = 0;  // ends after this many of all sources; 0: when they end, or by Ctrl-C
    std::vector<Audience*> audiences = {};  // one for each source, or none
    bool follows_drawn_regions = false;     // lines and zones that were drawn in the window count
    bool audience_prompts = false;          // viewers may give prompts to models that have none yet
};

// The live loops without a window, until all end, or Interrupts::came(). A lost device is opened
// again. Without an audience, a single camera that is missing, or frames that cannot be sent, end
// it. Prints a summary and returns the exit code.
int run_headless(const HeadlessOptions& options);

}  // namespace saccade
