#pragma once

#include <string>
#include <vector>

#include "app/lab/bench_model.h"
#include "gpu/engine.h"

namespace saccade {

struct BenchOptions {
    std::vector<std::string> models;  // folders, or names of bench_models(); empty: all of those
    bool ops = false;                 // times operations, and only models that are named
    BenchLoad load;
    uint32_t runs = 0;        // of a model; 0: as many as fit into about two seconds
    bool check = true;        // compares models with the plain kernels first
    bool dispatches = false;  // times each kernel of each model
    bool json = false;
    std::string compare;  // file of an earlier report; empty: none
};

// Compares models and operations with the plain kernels, times them with GPU timestamps, and
// returns a table or JSON.
std::string bench(const EngineOptions& engine_options, const BenchOptions& options);

}  // namespace saccade
