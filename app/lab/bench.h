#pragma once

#include <string>
#include <vector>

#include "app/lab/bench_model.h"
#include "app/lab/engine.h"

namespace saccade {

struct BenchOptions {
    std::vector<std::string> models;  // folders, or names of bench_models(); empty: all of those
    uint32_t batch = 1;
    uint32_t runs = 0;  // 0: as many as fit into about two seconds
    bool json = false;
};

// Times models with GPU timestamps and prints a table, or JSON. Returns what was printed.
std::string bench(Engine& engine, const BenchOptions& options);

}  // namespace saccade
