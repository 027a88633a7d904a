#pragma once

#include <string>
#include <vector>

#include "gpu/engine.h"

namespace saccade {

// What the driver's compiler makes of every kernel that these models, or all of bench_models(),
// run on a device, with that many beams of a caption: a table, or JSON. Nothing is executed, so
// that a device that cannot execute (another GPU's compiler without the GPU) will do.
std::string describe_kernels(EngineOptions options, const std::vector<std::string>& models,
                             uint32_t beams, bool json);

}  // namespace saccade
