#pragma once

#include <string>

#include "app/lab/engine.h"

namespace saccade {

// Times the operations at the shapes that the models use: first held against the plain kernels,
// then timed with GPU timestamps. Returns a table.
std::string bench_ops(Engine& engine);

}  // namespace saccade
