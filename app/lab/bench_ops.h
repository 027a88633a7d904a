#pragma once

#include <vector>

#include "app/lab/bench_report.h"
#include "gpu/engine.h"

namespace saccade {

// The rates of a large square product and of a large copy.
Ceilings measure_ceilings(Engine& engine);

// Times the operations at the shapes of the models with GPU timestamps, after comparing them with
// the plain kernels.
std::vector<BenchEntry> time_ops(Engine& engine);

}  // namespace saccade
