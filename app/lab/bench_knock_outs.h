#pragma once

#include <string>
#include <vector>

#include "gpu/engine.h"

namespace saccade {

struct KnockOutBenchOptions {
    std::vector<std::string> models;  // folders, or names of bench_models(): not captioners
    uint32_t most_cells = 16;         // along the picture's longer side
    uint32_t at_once = 0;             // 0: every cell in one batch
    uint32_t runs = 0;                // 0: as many as fit into about two seconds
    bool json = false;
};

// Times maps and head tables made of knock-outs, by the host's clock: every cell on its own, coarse
// first and finer where it matters, and each head; and compares the two maps by their ranks.
std::string bench_knock_outs(const EngineOptions& engine_options,
                             const KnockOutBenchOptions& options);

}  // namespace saccade
