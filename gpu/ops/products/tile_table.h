#pragma once

#include <array>
#include <optional>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/recorder/commands.h"
#include "shaders/products/constants.h"

// The tiles that products can be cut into, and tables of how long each takes.

namespace saccade {

// The sums that one thread of linear and conv2d holds. On a GPU many threads with few sums each; on
// software Vulkan a load costs far more than arithmetic, so one thread holds as many as it can.
struct Tile {
    uint32_t threads_x, threads_y, m, n;
};
Tile choose_tile(const Device& device, uint32_t rows);

constexpr uint32_t cores_of_a_large_gpu = 132;
// Those that the tables count with, where the driver does not say.
uint32_t cores_of(const DeviceInfo& device);

// A product of (rows, depth) and (columns, depth), for each batch.
struct Product {
    uint32_t batch, rows, columns, depth;
};

// The same with tiles in shared memory, for GPUs: see product.tiled.glsl.
struct ProductTile {
    uint32_t threads, bm, bn, bk, tm, tn;
    uint32_t splits;  // workgroups that share a tile of the result, each with some of the depth
    uint64_t groups;  // tiles of the result
    double cost;      // microseconds that it is likely to take

    uint32_t shared_bytes() const { return 2 * bk * (bm + bn + 8) * 4 + 16; }
    params::SharedTileConstants constants() const;
};
// All that the device can run, and the one that is likely to be done first. None on software
// Vulkan, unless it is asked for.
std::vector<ProductTile> product_tiles(const DeviceInfo& device, const Product& product);
std::optional<ProductTile> choose_product_tile(const DeviceInfo& device, const Product& product);

// Where the splits of a tile leave their sums, and one word a tile in which they count themselves,
// as the kernels bind them. If nothing is split, they bind `unused`.
template <typename AnyTile>
std::array<Use, 2> split_uses(Commands& c, const AnyTile& tile, const Tensor& unused) {
    if (tile.splits == 1) return {read(unused), read(unused)};
    const auto tiles = static_cast<uint32_t>(tile.groups);
    return {read_write(c.scratch(1, tiles * tile.splits, tile.bm * tile.bn, Type::f32)),
            read_write(c.zeros(tiles))};
}

// The same on cooperative matrices: a workgroup's elements of the result, a subgroup's, and what
// the device multiplies at once.
struct MatrixTile {
    uint32_t threads, subgroups, bm, bn, bk, wm, wn;
    MatrixShape fragment;
    uint32_t ahead;   // steps of W that are on their way
    uint32_t shares;  // of the depth: a workgroup has subgroups for the tile once for each
    uint32_t splits;  // workgroups that share a tile of the result, each with some of the depth
    uint64_t groups;  // tiles of the result
    double cost;      // microseconds that it is likely to take

    uint32_t shared_bytes() const;
    // Of a product that becomes y.
    params::MatrixTileConstants constants(const HeldFragments& held, const Tensor& y) const;
    // Splits leave their sums without gaps: every thread has some.
    bool can_be_split() const;
};
constexpr uint32_t widest_tile = 256;        // columns of the largest of them
constexpr uint32_t fewest_matrix_rows = 16;  // below, most of a fragment would be padding
// All that the device can run, and the one that is likely to be done first. None where the device
// has no cooperative matrices, or there are too few rows for them to pay.
// Those that are not fitted are never chosen: what they take has to be measured.
enum class Fitted { no, yes };
std::vector<MatrixTile> matrix_tiles(const DeviceInfo& device, const HeldFragments& held,
                                     const Product& product, Fitted which = Fitted::yes);
std::optional<MatrixTile> choose_matrix_tile(const DeviceInfo& device, const HeldFragments& held,
                                             const Product& product);

// The same for few rows, whose time is that of reading the weights: see row_product.glsl.
struct RowTile {
    uint32_t threads, lanes, columns, rows, steps;

    uint32_t group() const { return threads / lanes * columns; }  // columns of a workgroup
    uint32_t shared_bytes() const { return rows * columns * threads * 4; }
    // The same where a workgroup also normalises rows of `depth` elements, and holds them.
    uint64_t shared_bytes_with_rows(uint32_t depth) const {
        return tensor_bytes(1, rows, depth, Type::f32) + shared_bytes() + threads * 4;
    }
};
// The tiles to choose from for a number of rows. The first is for software Vulkan, the others are for
// GPUs: one for many columns, one for deep products, one for all other products.
std::array<RowTile, 4> row_tiles(uint32_t rows);
// None where there are too many rows, or the device has too little shared memory.
std::optional<RowTile> choose_row_tile(const DeviceInfo& device, uint32_t rows, uint32_t columns,
                                       uint32_t depth);

// What the device multiplies at once, if it has cooperative matrices that suit our kernels.
std::optional<MatrixShape> choose_fragment(const Features& features);

}  // namespace saccade
