#include "gpu/ops/tile.h"

#include <algorithm>
#include <bit>

#include "gpu/ops/common.h"
#include "gpu/ops/tiled.h"

namespace saccade {

namespace {

constexpr uint32_t most_few_rows = 8;  // more would take too many registers
constexpr uint32_t fewest_rows = 16;   // below, most of a fragment would be padding

// A large tile reads each element less often, a small one gives more workgroups. How long each
// takes was measured on an H200, in microseconds: the depth of 768 for a workgroup that has a core
// to itself, which mostly waits for memory, and for every workgroup of a core that has many; and
// the way out of the sums.
struct Times {
    double alone, each, out;
};
struct Shape {
    uint32_t bm, bn, bk, wm, wn, ahead;
    Times times;
};
constexpr Shape shapes[] = {
    {64, 256, 64, 64, 64, 1, {11.8, 7.5, 2.6}}, {64, 192, 64, 64, 48, 2, {9.0, 5.8, 2.5}},
    {64, 128, 64, 32, 64, 2, {7.5, 5.2, 1.5}},  {64, 64, 64, 32, 32, 2, {7.1, 3.6, 0.6}},
    {48, 128, 128, 48, 32, 4, {5.3, 4.1, 1.3}}, {32, 128, 128, 32, 32, 2, {6.3, 2.8, 0.8}},
    {32, 64, 256, 32, 16, 8, {3.1, 2.6, 0.6}},  {16, 64, 256, 16, 16, 16, {3.0, 1.6, 0.4}},
};
// The same without cooperative matrices.
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
static_assert(std::ranges::all_of(shapes, [](const Shape& s) { return s.bn <= widest_tile; }));
constexpr double measured_depth = 768;
constexpr uint32_t cores_of_a_large_gpu = 132;  // where the driver does not say

// Workgroups may share a tile, each with a part of the depth that is worth it. Their sums meet in
// memory.
constexpr uint32_t split_depth = 512, most_splits = 4;
constexpr double split_cost = 1.8, split_cost_of_out = 3.0;
constexpr uint32_t tiled_split_depth = 256;
constexpr double tiled_split_cost = 2.7;

// What a subgroup of attention has registers for: blocks of scores, columns of a head.
constexpr uint32_t most_blocks = 14, largest_matrix_head = 96;
constexpr uint32_t amd = 0x1002;  // its number as a maker of devices

uint32_t cores_of(const DeviceInfo& device) {
    return device.limits.cores ? device.limits.cores : cores_of_a_large_gpu;
}

// Tiles of a result.
uint64_t groups_of(uint32_t bm, uint32_t bn, const Product& p) {
    return uint64_t(p.batch) * divide_up(p.rows, bm) * divide_up(padded(p.columns), bn);
}

// None where the device lacks what the shape takes.
std::optional<MatrixTile> tile_of(const Shape& s, const Limits& limits, const MatrixShape& fragment,
                                  const Product& p) {
    const uint32_t bk = std::min(s.bk, std::bit_ceil(std::max(p.depth, 32u)));
    const uint32_t subgroups = (s.bm / s.wm) * (s.bn / s.wn), lanes = limits.subgroup_size;
    const uint32_t threads = lanes * subgroups, loads = bk / 8;
    const uint32_t rows_at_once = lanes / (s.wn / 4);  // that a subgroup takes out of its sums
    if (threads > limits.workgroup_threads || s.bm * loads % threads != 0 || threads % loads != 0 ||
        rows_at_once == 0 || fragment.m % rows_at_once != 0)
        return std::nullopt;
    const MatrixTile tile{.threads = threads,
                          .subgroups = subgroups,
                          .bm = s.bm,
                          .bn = s.bn,
                          .bk = bk,
                          .wm = s.wm,
                          .wn = s.wn,
                          .fragment = fragment,
                          .ahead = std::min(s.ahead, bk / fragment.k),
                          .splits = 1,
                          .groups = groups_of(s.bm, s.bn, p)};
    // More shared memory than there is would lose the device.
    if (tile.shared_bytes() > limits.shared_bytes) return std::nullopt;
    return tile;
}

// How long it is likely to take, but for what splits cost.
double cost_of(const Times& times, uint64_t groups, uint32_t splits, uint32_t cores,
               uint32_t depth) {
    const auto of_a_core = static_cast<double>((groups * splits + cores - 1) / cores);
    const double share = depth / measured_depth / splits;
    return std::max(times.alone, of_a_core * times.each) * share + of_a_core * times.out;
}

// Blocks of keys whose scores a subgroup holds at once. RDNA3 holds every element of a factor twice,
// and spills registers beyond these (saccade-lab kernels).
uint32_t most_blocks_of(const DeviceInfo& device, uint32_t head, uint32_t key_groups) {
    if (device.vendor_id != amd) return most_blocks;
    if (key_groups > 2) return head > 32 ? 3 : 5;
    return head > 32 ? 7 : 10;
}

}  // namespace

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
        // More shared memory than there is would lose the device.
        if (tile.shared_bytes() > device.limits.shared_bytes ||
            tile.threads > device.limits.workgroup_threads)
            continue;
        for (; tile.splits == 1 || (tile.splits <= most_splits && tile.groups <= cores &&
                                    p.depth / tile.splits >= tiled_split_depth);
             ++tile.splits) {
            tile.cost = cost_of(s.times, tile.groups, tile.splits, cores, p.depth) +
                        (tile.splits > 1 ? tiled_split_cost : 0.0);
            tiles.push_back(tile);
        }
    }
    return tiles;
}

std::optional<ProductTile> choose_product_tile(const DeviceInfo& device, const Product& product) {
    if (device.kind == DeviceKind::cpu) return std::nullopt;
    const std::vector<ProductTile> tiles = product_tiles(device, product);
    const auto best = std::ranges::min_element(tiles, {}, &ProductTile::cost);
    return best == tiles.end() ? std::nullopt : std::optional(*best);
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

std::optional<MatrixTile> choose_matrix_tile(const DeviceInfo& device, const Product& product) {
    if (!device.features.cooperative_matrix || product.rows < fewest_rows) return std::nullopt;
    const std::optional<MatrixShape> fragment = choose_fragment(device.features);
    if (!fragment) return std::nullopt;
    const uint32_t cores = cores_of(device), depth = product.depth;
    std::optional<MatrixTile> chosen;
    double least = 0;
    for (const Shape& s : shapes) {
        std::optional<MatrixTile> tile = tile_of(s, device.limits, *fragment, product);
        if (!tile) continue;
        for (uint32_t splits = 1; splits == 1 || depth / splits >= split_depth; ++splits) {
            if (splits > 1 &&
                (splits > most_splits || tile->groups > cores || !tile->can_be_split()))
                break;
            tile->splits = splits;
            const double cost = cost_of(s.times, tile->groups, splits, cores, depth) +
                                (splits > 1 ? split_cost + split_cost_of_out * s.times.out : 0.0);
            if (chosen && cost >= least) continue;
            chosen = tile;
            least = cost;
        }
    }
    return chosen;
}

uint32_t MatrixTile::shared_bytes() const {
    // Sums leave where the tile of x was; and one word.
    return std::max(bm * (bk / 8 + 1), subgroups * fragment.m * (wn / 4 + 1)) * 16 + 16;
}

bool MatrixTile::can_be_split() const { return threads / subgroups % (wn / 4) == 0; }

std::optional<RowTile> choose_row_tile(const DeviceInfo& device, uint32_t rows, uint32_t columns,
                                       uint32_t depth) {
    if (rows > most_few_rows) return std::nullopt;
    const uint32_t held = std::bit_ceil(rows);
    if (device.kind == DeviceKind::cpu) return RowTile{4, 4, held > 2 ? 4u : 8u, held, 1};
    // Enough lanes that few rounds go over a column, enough columns that many bytes are on the way,
    // enough workgroups that every core has some. A workgroup writes its columns in fours.
    const RowTile tile = columns >= 8192 ? RowTile{128, 32, 4, held, 1}
                         : depth >= 2048 ? RowTile{256, 128, 2, held, 1}
                                         : RowTile{256, 64, 1, held, 2};
    if (tile.shared_bytes() > device.limits.shared_bytes) return std::nullopt;
    return tile;
}

uint32_t AttentionTile::shared_bytes(uint32_t head) const {
    const uint32_t subgroups = query_groups * key_groups;
    const uint32_t rows = std::max(16 * key_groups * chunk_blocks, queries());
    const uint32_t tile = rows * (head / 8 + 1) * 16;
    const uint32_t sums = key_groups * queries() * (head / 4 + 1) * 16;
    return std::max(tile, sums) + subgroups * 2 * 16 * 3 * 16 + threads * 4;
}

std::optional<AttentionTile> choose_attention_tile(const DeviceInfo& device,
                                                   const AttentionShape& shape, uint32_t heads) {
    const Limits& limits = device.limits;
    const auto square = [](const MatrixShape& s) { return s.m == 16 && s.n == 16 && s.k == 16; };
    if (!device.features.cooperative_matrix || limits.subgroup_size % 16 != 0 ||
        shape.head % 16 != 0 || shape.head > largest_matrix_head || shape.queries < fewest_rows ||
        std::ranges::none_of(device.features.matrix_shapes, square))
        return std::nullopt;
    // More queries a workgroup share the keys that it loads; with few workgroups its subgroups
    // rather share the keys out among them.
    const auto workgroups = [&](uint32_t groups) {
        return uint64_t(heads) * divide_up(shape.queries, 16 * groups);
    };
    AttentionTile t{};
    constexpr uint64_t many = 8 * cores_of_a_large_gpu;
    t.query_groups = workgroups(8) >= many ? 8
                     : workgroups(4) >= 96 ? 4
                     : workgroups(2) >= 64 ? 2
                                           : 1;
    t.key_groups = t.query_groups < 4 ? 4 : workgroups(4) < cores_of_a_large_gpu ? 2 : 1;
    while (true) {
        t.threads = t.query_groups * t.key_groups * limits.subgroup_size;
        const uint32_t each = divide_up(divide_up(shape.keys, 16), t.key_groups);
        const uint32_t most = most_blocks_of(device, shape.head, t.key_groups);
        const uint32_t in_round = divide_up(each, divide_up(each, most));
        for (t.chunks = 1; t.chunks <= in_round; ++t.chunks) {
            t.chunk_blocks = divide_up(in_round, t.chunks);
            if (t.shared_bytes(shape.head) <= limits.shared_bytes &&
                t.threads <= limits.workgroup_threads)
                return t;
        }
        // Large heads: fewer subgroups whose sums have to fit.
        if (t.key_groups > 1)
            t.key_groups /= 2;
        else if (t.query_groups > 1)
            t.query_groups /= 2;
        else
            return std::nullopt;
    }
}

bool loads_wide(const Tensor& t) { return t.type == Type::f32 || loads_eights(t); }

bool loads_eights(const Tensor& t) {
    return t.offset % 8 == 0 && t.row_stride % 8 == 0 && (t.batch == 1 || t.batch_stride % 8 == 0);
}

}  // namespace saccade
