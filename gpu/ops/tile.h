#pragma once

#include <optional>

#include "gpu/commands.h"
#include "gpu/device.h"

namespace saccade {

// The sums that one thread of linear and conv2d holds. On a GPU many threads with few sums each; on
// software Vulkan a load costs far more than arithmetic, so one thread holds as many as it can.
struct Tile {
    uint32_t threads_x, threads_y, m, n;
};
Tile choose_tile(const Device& device, uint32_t rows);

// The same on cooperative matrices: a workgroup's elements of the result, a subgroup's, and what
// the device multiplies at once.
struct MatrixTile {
    uint32_t threads, subgroups, bm, bn, bk, wm, wn;
    MatrixShape fragment;
};
// None where the device has no cooperative matrices, the recorder asks for plain kernels, or there
// are too few rows for them to pay.
std::optional<MatrixTile> choose_matrix_tile(const Commands& c, uint32_t batch, uint32_t rows,
                                             uint32_t columns, uint32_t depth);
// Kernels on cooperative matrices load eight halves at once.
bool loads_eights(const Tensor& t);

}  // namespace saccade
