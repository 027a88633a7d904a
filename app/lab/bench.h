#pragma once

#include <string>
#include <vector>

#include "app/lab/bench_model.h"
#include "gpu/engine.h"

namespace saccade {

struct BenchOptions {
    std::vector<std::string> models;  // folders, or names of bench_models(); empty: all of those
    bool ops = false;                 // operations, and only those models that are named
    BenchLoad load;
    uint32_t runs = 0;        // of a model; 0: as many as fit into about two seconds
    bool check = true;        // hold models against the plain kernels first
    bool dispatches = false;  // of each model: what each of its kernels takes
    bool json = false;
    std::string compare;  // an earlier report's file, or none
};

// Holds what it times against the plain kernels, times it with GPU timestamps, and returns a table,
// or JSON.
std::string bench(const EngineOptions& engine_options, const BenchOptions& options);

}  // namespace saccade
