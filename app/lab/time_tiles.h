#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/activation.h"
#include "gpu/core/device.h"
#include "gpu/core/geometry.h"
#include "gpu/core/tensor.h"

namespace saccade {

// One way to do a product: what the tables expect of it, and what it takes on this device.
struct TileTime {
    // "linear.tiled", "64x128x16/2": rows, columns, depth, splits. Those of "linear.coopmat" say
    // all of a tile: "64x128x64x32x64x2*1/2", see MatrixTile.
    std::string kernel, tile;
    double expected_us = 0, us = 0;
    bool fitted = true;  // false: the tables only guess, and never choose it
    bool chosen = false;
    // Of products on cooperative matrices that are not split, for what follows: the tile as its
    // table has it, how many workgroups the busiest core has, and how deep these go.
    std::string shape{};
    uint64_t of_a_core = 0;
    uint32_t depth = 0;
};

// (rows, depth) times (columns, depth), in each batch, and what becomes of it: the activation, or
// it is added to what is there in fp32.
struct ProductSizes {
    uint32_t batch, rows, columns, depth;
    Activation activation = Activation::none;
    bool add = false;
};
// Times all ways that the device has for a product. Sorted by time.
std::vector<TileTime> time_tiles(Device& device, Type type, const ProductSizes& sizes);

// A convolution of a picture, padded so that it keeps its size where the stride is 1, and what
// becomes of it: the activation, of the sum with what is there if `add`.
struct ConvolutionSizes {
    Size size;
    uint32_t channels, columns, kernel, stride;
    Activation activation = Activation::none;
    bool add = false;

    Size out_size() const;
};
// The same of a convolution, fp16, on cooperative matrices; none where the device has none.
std::vector<TileTime> time_convolution(Device& device, const ConvolutionSizes& sizes);

// The same of attention, fp16, on cooperative matrices; none where the device has none. A tile is
// "4x2, rounds of 416, once": query groups, key groups, keys of a round, times over the keys.
struct AttentionSizes {
    uint32_t batch, heads, queries, keys, head;
};
std::vector<TileTime> time_attention(Device& device, const AttentionSizes& sizes);

}  // namespace saccade
