#pragma once

#include "gpu/device.h"

namespace saccade {

// The sums that one thread of linear and conv2d holds. On a GPU many threads with few sums each; on
// software Vulkan a load costs far more than arithmetic, so one thread holds as many as it can.
struct Tile {
    uint32_t threads_x, threads_y, m, n;
};
Tile choose_tile(const Device& device, uint32_t rows);

}  // namespace saccade
