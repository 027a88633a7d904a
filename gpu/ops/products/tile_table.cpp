#include "gpu/ops/products/tile_table.h"

#include <algorithm>
#include <bit>
#include <span>

#include "gpu/ops/common.h"
#include "gpu/ops/products/tile_cost.h"

namespace saccade {

namespace {

constexpr uint32_t most_few_rows = 8;  // more would take too many registers

// A large tile reads each element less often, a small one gives more workgroups. How long each
// takes was measured on an H200 (saccade-lab tiles --fit; a little more where models were slower
// with a tile than it is alone).
struct Shape {
    uint32_t bm, bn, bk, wm, wn, ahead, shares;
    Times times;
    // The factor for shallow products. They do little more than write their sums, and a larger tile
    // has less other work to do meanwhile (tiles --conv 200x267x64x256).
    double shallow = 1.0;
};

constexpr uint32_t shallow_depth = 128;

constexpr Shape shapes[] = {
    {64, 256, 64, 64, 64, 1, 1, {11.8, 7.5, 2.6}, 1.38},
    {64, 192, 64, 64, 48, 2, 1, {9.0, 5.8, 2.5}, 1.35},
    {64, 128, 128, 64, 32, 2, 1, {6.35, 4.5, 1.7}, 1.35},
    {64, 128, 64, 32, 64, 2, 1, {7.5, 5.2, 1.5}, 1.35},
    {64, 64, 64, 32, 32, 2, 1, {7.1, 3.6, 0.6}, 1.2},
    {128, 32, 64, 32, 32, 2, 1, {7.3, 3.9, 0.6}, 1.2},
    {48, 192, 128, 48, 48, 2, 1, {6.4, 4.8, 2.1}, 1.35},
    {48, 128, 128, 48, 32, 4, 1, {5.3, 4.1, 1.3}, 1.25},
    {32, 256, 128, 32, 64, 2, 1, {6.7, 4.5, 1.5}, 1.35},
    {32, 128, 128, 32, 32, 2, 1, {6.3, 2.8, 0.8}},
    {32, 128, 128, 32, 32, 2, 2, {3.5, 3.9, 2.9}},
    {32, 128, 128, 32, 32, 2, 3, {3.1, 3.9, 2.7}},
    {32, 64, 256, 32, 16, 8, 1, {3.1, 2.6, 0.6}, 1.2},
    {16, 64, 256, 16, 16, 16, 1, {3.0, 1.6, 0.4}, 1.3},
};

// Tiles whose times are guesses: chosen only where a measurement finds them faster.
constexpr Shape more_shapes[] = {
    {128, 256, 64, 64, 64, 1, 1, {18.0, 14.5, 4.5}},
    {128, 192, 64, 64, 48, 2, 1, {14.0, 11.0, 4.0}},
    {128, 128, 64, 64, 64, 2, 1, {11.0, 8.0, 2.6}},
    {96, 192, 64, 48, 48, 2, 1, {12.0, 8.8, 3.2}},
    {96, 128, 64, 48, 64, 2, 1, {9.5, 6.6, 2.0}},
};

// Tiles in shared memory.
struct TiledShape {
    uint32_t bm, bn, bk, tm, tn;
    Times times;
};

constexpr TiledShape tiled_shapes[] = {
    {128, 128, 16, 8, 8, {72.0, 66.2, 1.0}},
    {64, 128, 16, 8, 8, {45.0, 35.9, 0.5}},
    {64, 64, 16, 8, 4, {23.3, 20.0, 4.0}},
    {32, 64, 32, 4, 4, {18.7, 15.6, 1.8}},
};

constexpr auto fits_fragments = [](const Shape& s) { return s.bn <= widest_tile; };

static_assert(std::ranges::all_of(shapes, fits_fragments) &&
              std::ranges::all_of(more_shapes, fits_fragments));

// Split-K: workgroups may share a tile, each with a part of the depth, which must be worth it.
// Their sums meet in memory. (The shares of a workgroup meet in shared memory; their times include
// that.)
constexpr uint32_t split_depth = 512, most_splits = 4;

constexpr double split_cost = 2.6, split_cost_of_out = 3.0;

constexpr uint32_t tiled_split_depth = 256;

constexpr double tiled_split_cost = 2.7;

// Tiles of a result.
uint64_t groups_of(uint32_t bm, uint32_t bn, const Product& p) {
    return uint64_t(p.batch) * divide_up(p.rows, bm) * divide_up(padded(p.columns), bn);
}

// None where the device does not support the shape.
std::optional<MatrixTile> tile_of(const Shape& s, const Limits& limits, const MatrixShape& fragment,
                                  const Product& p) {
    const uint32_t bk = std::min(s.bk, std::bit_ceil(std::max(p.depth, 32u)));
    const uint32_t subgroups = (s.bm / s.wm) * (s.bn / s.wn), lanes = limits.subgroup_size;
    const uint32_t threads = lanes * subgroups, loads = bk / 8;
    const uint32_t rows_at_once = lanes / (s.wn / 4);  // that a subgroup takes out of its sums
    if (s.shares * threads > limits.workgroup_threads || s.bm * loads % threads != 0 ||
        threads % loads != 0 || rows_at_once == 0 || fragment.m % rows_at_once != 0)
        return std::nullopt;
    const MatrixTile tile{.threads = s.shares * threads,
                          .subgroups = s.shares * subgroups,
                          .bm = s.bm,
                          .bn = s.bn,
                          .bk = bk,
                          .wm = s.wm,
                          .wn = s.wn,
                          .fragment = fragment,
                          .ahead = std::min(s.ahead, bk / fragment.k),
                          .shares = s.shares,
                          .splits = 1,
                          .groups = groups_of(s.bm, s.bn, p),
                          .cost = 0};
    // A kernel that asks for more shared memory than there is loses the device.
    if (tile.shared_bytes() > limits.shared_bytes) return std::nullopt;
    return tile;
}

// The tile with the lowest expected time, the first of equal ones.
template <typename AnyTile>
std::optional<AnyTile> cheapest(const std::vector<AnyTile>& tiles) {
    const auto best = std::ranges::min_element(tiles, {}, &AnyTile::cost);
    return best == tiles.end() ? std::nullopt : std::optional(*best);
}

}  // namespace

uint32_t cores_of(const DeviceInfo& device) {
    return device.limits.cores ? device.limits.cores : cores_of_a_large_gpu;
}

Tile choose_tile(const Device& device, uint32_t rows) {
    if (!device.is_cpu()) return rows == 1 ? Tile{64, 1, 1, 4} : Tile{16, 8, 4, 4};
    if (rows <= 4) return {4, 1, rows == 1 ? 1u : 4u, 8};
    return {4, 1, 8, 8};
}

std::vector<ProductTile> product_tiles(const DeviceInfo& device, const Product& p) {
    const uint32_t cores = cores_of(device);
    std::vector<ProductTile> tiles;
    for (const TiledShape& s : tiled_shapes) {
        ProductTile tile{.threads = s.bm / s.tm * (s.bn / s.tn),
                         .bm = s.bm,
                         .bn = s.bn,
                         .bk = s.bk,
                         .tm = s.tm,
                         .tn = s.tn,
                         .splits = 1,
                         .groups = groups_of(s.bm, s.bn, p),
                         .cost = 0};
        // A kernel that asks for more shared memory than there is loses the device.
        if (tile.shared_bytes() > device.limits.shared_bytes ||
            tile.threads > device.limits.workgroup_threads)
            continue;
        for (; tile.splits == 1 || (tile.splits <= most_splits && tile.groups <= cores &&
                                    p.depth / tile.splits >= tiled_split_depth);
             ++tile.splits) {
            tile.cost = cost_of(s.times, load_of(tile.groups, tile.splits, cores, p.depth)) +
                        (tile.splits > 1 ? tiled_split_cost : 0.0);
            tiles.push_back(tile);
        }
    }
    return tiles;
}

std::optional<ProductTile> choose_product_tile(const DeviceInfo& device, const Product& product) {
    if (device.kind == DeviceKind::cpu) return std::nullopt;
    return cheapest(product_tiles(device, product));
}

std::optional<MatrixShape> choose_fragment(const Features& features) {
    // The fragments must fill every tile above.
    auto fits = [](const MatrixShape& f) {
        return 16 % f.m == 0 && 16 % f.n == 0 && f.n % 4 == 0 && 32 % f.k == 0 && f.k % 8 == 0;
    };
    std::optional<MatrixShape> best;
    for (const MatrixShape& f : features.matrix_shapes)
        if (fits(f) && (!best || f.m * f.n * f.k > best->m * best->n * best->k)) best = f;
    return best;
}

std::vector<MatrixTile> matrix_tiles(const DeviceInfo& device, const HeldFragments& held,
                                     const Product& product, Fitted which) {
    const std::optional<MatrixShape> fragment = choose_fragment(device.features);
    if (!device.features.cooperative_matrix || !fragment) return {};
    const uint32_t cores = cores_of(device), depth = product.depth;
    std::vector<MatrixTile> tiles;
    for (const Shape& s : which == Fitted::yes ? std::span<const Shape>(shapes) : more_shapes) {
        if (s.shares > 1 && (!held.in_fours || depth / s.shares < split_depth)) continue;
        std::optional<MatrixTile> tile = tile_of(s, device.limits, *fragment, product);
        if (!tile) continue;
        for (; tile->splits == 1 ||
               (tile->splits <= most_splits && tile->groups <= cores && tile->shares == 1 &&
                tile->can_be_split() && depth / tile->splits >= split_depth);
             ++tile->splits) {
            tile->cost = cost_of(s.times, load_of(tile->groups, tile->splits, cores, depth)) *
                             (depth <= shallow_depth ? s.shallow : 1.0) +
                         (tile->splits > 1 ? split_cost + split_cost_of_out * s.times.out : 0.0);
            tiles.push_back(*tile);
        }
    }
    return tiles;
}

std::optional<MatrixTile> choose_matrix_tile(const DeviceInfo& device, const HeldFragments& held,
                                             const Product& product) {
    if (product.rows < fewest_matrix_rows) return std::nullopt;
    return cheapest(matrix_tiles(device, held, product, Fitted::yes));
}

uint32_t MatrixTile::shared_bytes() const {
    // Sums meet and leave where the tiles of x were; and one word.
    const uint32_t leaving = subgroups * fragment.m * (wn / 4 + 1);
    const uint32_t meeting = (shares - 1) * bm * bn / 4;
    return std::max({shares * bm * (bk / 8 + 1), leaving, meeting}) * 16 + 16;
}

params::MatrixTileConstants MatrixTile::constants(const HeldFragments& held,
                                                  const Tensor& y) const {
    return {.threads = threads,
            .subgroups = subgroups,
            .bm = bm,
            .bn = bn,
            .bk = bk,
            .wm = wm,
            .wn = wn,
            .fm = fragment.m,
            .fn = fragment.n,
            .fk = fragment.k,
            .eights = held.eights,
            .ahead = ahead,
            .splits = splits,
            .in_fours = !held.in_fours  ? 0u
                        : loads_wide(y) ? 2u
                                        : 1u,
            .shares = shares};
}

params::SharedTileConstants ProductTile::constants() const {
    return {.threads = threads, .bm = bm, .bn = bn, .bk = bk, .tm = tm, .tn = tn, .splits = splits};
}

bool MatrixTile::can_be_split() const { return threads / subgroups % (wn / 4) == 0; }

std::array<RowTile, 4> row_tiles(uint32_t rows) {
    const uint32_t held = std::bit_ceil(rows);
    // Enough lanes that few rounds go over a column, enough columns that many bytes are on the way,
    // enough workgroups that every core has some. A workgroup writes its columns in fours.
    return {{{4, 4, held > 2 ? 4u : 8u, held, 1},
             {128, 32, 4, held, 1},
             {256, 128, 2, held, 1},
             {256, 64, 1, held, 2}}};
}

std::optional<RowTile> choose_row_tile(const DeviceInfo& device, uint32_t rows, uint32_t columns,
                                       uint32_t depth) {
    if (rows > most_few_rows) return std::nullopt;
    const auto [on_cpu, wide, deep, small] = row_tiles(rows);
    if (device.kind == DeviceKind::cpu) return on_cpu;
    const RowTile tile = columns >= 8192 ? wide : depth >= 2048 ? deep : small;
    if (tile.shared_bytes() > device.limits.shared_bytes) return std::nullopt;
    return tile;
}

}  // namespace saccade
