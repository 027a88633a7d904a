#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/core/tensor.h"

namespace saccade {

// One way to do a product: what the tables expect of it, and what it takes on this device.
struct TileTime {
    std::string kernel, tile;  // "linear.coopmat", "64x128x64/2": rows, columns, depth, splits
    double expected_us = 0, us = 0;
    bool fitted = true;  // false: the tables only guess, and never choose it
    bool chosen = false;
};
// The same of attention, fp16, on cooperative matrices; none where the device has none. A tile is
// "4x2, rounds of 416, once": query groups, key groups, keys of a round, times over the keys.
struct AttentionSizes {
    uint32_t batch, heads, queries, keys, head;
};
std::vector<TileTime> time_attention(Device& device, const AttentionSizes& sizes);
// Times all ways that the device has for a product of (rows, depth) and (columns, depth), in each
// batch. Sorted by time.
std::vector<TileTime> time_tiles(Device& device, Type type, uint32_t batch, uint32_t rows,
                                 uint32_t columns, uint32_t depth);

}  // namespace saccade
