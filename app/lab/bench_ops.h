#pragma once

#include <vector>

#include "app/lab/bench_report.h"
#include "gpu/engine.h"

namespace saccade {

// What a large square product and a large copy reach.
Ceilings measure_ceilings(Engine& engine);

// Times the operations at the shapes that the models use: first held against the plain kernels,
// then timed with GPU timestamps.
std::vector<BenchEntry> time_ops(Engine& engine);

}  // namespace saccade
