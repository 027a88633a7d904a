#pragma once

#include <array>
#include <optional>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/recorder/commands.h"
#include "shaders/products/constants.h"

// The tiles that products can be cut into, and tables of how long each takes.

namespace saccade {

// The sums that one thread of linear.comp and conv2d.comp holds. A GPU runs many threads with few
// sums each. On software Vulkan a load costs far more than arithmetic, so one thread holds as many
// as it can.
struct Tile {
    uint32_t threads_x, threads_y, m, n;
};
Tile choose_tile(const Device& device, uint32_t rows);

constexpr uint32_t cores_of_a_large_gpu = 132;
// The cores of the device, or those of a large GPU where the driver does not say.
uint32_t cores_of(const DeviceInfo& device);

// A product of (rows, depth) and (columns, depth), for each batch.
struct Product {
    uint32_t batch, rows, columns, depth;
};

// A tile in shared memory, for GPUs without cooperative matrices: see product.tiled.glsl.
struct ProductTile {
    uint32_t threads, bm, bn, bk, tm, tn;
    uint32_t splits;  // workgroups that share a tile of the result, each with some of the depth
    uint64_t groups;  // tiles of the result
    double cost;      // expected microseconds

    uint32_t shared_bytes() const { return 2 * bk * (bm + bn + 8) * 4 + 16; }
    params::SharedTileConstants constants() const;
};
// All tiles that the device can run, and the one that the tables expect to be the fastest. Software
// Vulkan runs them but chooses none.
std::vector<ProductTile> product_tiles(const DeviceInfo& device, const Product& product);
std::optional<ProductTile> choose_product_tile(const DeviceInfo& device, const Product& product);

// The two bindings of split-K: memory for the sums of each split, and a counter for each tile.
// Without splits both are `unused`.
template <typename AnyTile>
std::array<Use, 2> split_uses(Commands& c, const AnyTile& tile, const Tensor& unused) {
    if (tile.splits == 1) return {read(unused), read(unused)};
    const auto tiles = static_cast<uint32_t>(tile.groups);
    return {read_write(c.scratch(1, tiles * tile.splits, tile.bm * tile.bn, Type::f32)),
            read_write(c.zeros(tiles))};
}

// A tile on cooperative matrices: the part of the result that a workgroup computes (bm x bn), that
// of a subgroup (wm x wn), and the size of a fragment.
struct MatrixTile {
    uint32_t threads, subgroups, bm, bn, bk, wm, wn;
    MatrixShape fragment;
    uint32_t ahead;   // steps of W that are loaded ahead
    uint32_t shares;  // of the depth: a workgroup has subgroups for the tile once for each
    uint32_t splits;  // workgroups that share a tile of the result, each with some of the depth
    uint64_t groups;  // tiles of the result
    double cost;      // expected microseconds

    uint32_t shared_bytes() const;
    // The specialisation constants of a product whose result is y.
    params::MatrixTileConstants constants(const HeldFragments& held, const Tensor& y) const;
    // Splits write their sums without gaps, which requires a share of them for every thread.
    bool can_be_split() const;
};
constexpr uint32_t widest_tile = 256;        // columns of the largest of them
constexpr uint32_t fewest_matrix_rows = 16;  // below, most of a fragment would be padding
// All tiles that the device can run, and the one that the tables expect to be the fastest. None
// where the device has no cooperative matrices, or too few rows for them to pay. Tiles without
// fitted times are never chosen from the tables: they have to be measured.
enum class Fitted { no, yes };
std::vector<MatrixTile> matrix_tiles(const DeviceInfo& device, const HeldFragments& held,
                                     const Product& product, Fitted which = Fitted::yes);
std::optional<MatrixTile> choose_matrix_tile(const DeviceInfo& device, const HeldFragments& held,
                                             const Product& product);

// A tile for few rows, whose time is that of reading the weights: see row_product.glsl.
struct RowTile {
    uint32_t threads, lanes, columns, rows, steps;

    uint32_t group() const { return threads / lanes * columns; }  // columns of a workgroup
    uint32_t shared_bytes() const { return rows * columns * threads * 4; }
    // With the rows of `depth` elements that norm_linear normalises.
    uint64_t shared_bytes_with_rows(uint32_t depth) const {
        return tensor_bytes(1, rows, depth, Type::f32) + shared_bytes() + threads * 4;
    }
};
// The tiles to choose from for a number of rows. The first is for software Vulkan, the others are
// for GPUs: one for many columns, one for deep products, one for all other products.
std::array<RowTile, 4> row_tiles(uint32_t rows);
// None where there are too many rows, or the device has too little shared memory.
std::optional<RowTile> choose_row_tile(const DeviceInfo& device, uint32_t rows, uint32_t columns,
                                       uint32_t depth);

// The largest fragment that the device multiplies and our kernels can use, or none.
std::optional<MatrixShape> choose_fragment(const Features& features);

}  // namespace saccade
