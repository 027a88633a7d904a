#include "gpu/ops/attention/attention_tile.h"

#include <algorithm>

#include "gpu/ops/common.h"
#include "gpu/ops/products/tile_table.h"

namespace saccade {

namespace {

// A subgroup of attention has registers for this many blocks of scores, and for heads of this many
// columns.
constexpr uint32_t most_blocks = 14, largest_matrix_head = 96;

// With fewer blocks a round is shorter than it could be, and more workgroups fit into a core.
constexpr uint32_t fewer_blocks[] = {8, 4};

// Blocks of keys whose scores a subgroup holds at once. RDNA3 holds every element of a factor
// twice, and spills registers beyond these (saccade-lab kernels).
uint32_t most_blocks_of(const DeviceInfo& device, uint32_t head, uint32_t key_groups) {
    if (device.vendor_id != vendors::amd) return most_blocks;
    if (head <= 32) return key_groups > 2 ? 5 : 10;
    return key_groups > 2 ? 3 : key_groups == 2 ? 6 : 7;
}

// Whether attention.coopmat can run on this device.
bool multiplies_heads(const DeviceInfo& device, const AttentionShape& shape) {
    const auto square = [](const MatrixShape& s) { return s.m == 16 && s.n == 16 && s.k == 16; };
    return device.features.cooperative_matrix && device.limits.subgroup_size % 16 == 0 &&
           shape.head % 16 == 0 && shape.head <= largest_matrix_head &&
           shape.queries >= fewest_matrix_rows &&
           std::ranges::any_of(device.features.matrix_shapes, square);
}

// The keys of a round, `most` blocks or fewer, in as few chunks as fit into shared memory, if any
// do.
std::optional<AttentionTile> in_chunks(const DeviceInfo& device, const AttentionShape& shape,
                                       uint32_t query_groups, uint32_t key_groups, uint32_t most) {
    AttentionTile t{.threads = query_groups * key_groups * device.limits.subgroup_size,
                    .query_groups = query_groups,
                    .key_groups = key_groups,
                    .chunks = 1,
                    .chunk_blocks = 0};
    const uint32_t each = divide_up(divide_up(shape.keys, 16), key_groups);
    const uint32_t in_round = divide_up(each, divide_up(each, most));
    for (; t.chunks <= in_round; ++t.chunks) {
        t.chunk_blocks = divide_up(in_round, t.chunks);
        t.online = 16 * t.blocks() < shape.keys;
        if (t.shared_bytes(shape.head) <= device.limits.shared_bytes &&
            t.threads <= device.limits.workgroup_threads)
            return t;
    }
    return std::nullopt;
}

std::optional<AttentionTile> in_chunks(const DeviceInfo& device, const AttentionShape& shape,
                                       uint32_t query_groups, uint32_t key_groups) {
    return in_chunks(device, shape, query_groups, key_groups,
                     most_blocks_of(device, shape.head, key_groups));
}

}  // namespace

uint32_t AttentionTile::shared_bytes(uint32_t head) const {
    const uint32_t subgroups = query_groups * key_groups;
    const uint32_t rows = std::max(2 * 16 * key_groups * chunk_blocks, queries());
    const uint32_t tile = (rows * (head / 8 + 1) + 16 * 5) * 16;
    const uint32_t sums = key_groups * queries() * (head / 4 + 1) * 16;
    return std::max(tile, sums) + subgroups * 2 * 16 * 3 * 16 + threads * 4;
}

std::vector<AttentionTile> attention_tiles(const DeviceInfo& device, const AttentionShape& shape) {
    std::vector<AttentionTile> tiles;
    if (!multiplies_heads(device, shape)) return tiles;
    for (const uint32_t query_groups : {8u, 4u, 2u, 1u})
        for (const uint32_t key_groups : {1u, 2u, 4u}) {
            std::optional<AttentionTile> tile = in_chunks(device, shape, query_groups, key_groups);
            if (!tile) continue;
            tiles.push_back(*tile);
            if (tile->online) {
                tile->online = false;
                tiles.push_back(*tile);
            }
            for (const uint32_t fewer : fewer_blocks) {
                const auto short_rounds = in_chunks(device, shape, query_groups, key_groups, fewer);
                if (short_rounds && short_rounds->blocks() < tile->blocks())
                    tiles.push_back(*short_rounds);
            }
        }
    return tiles;
}

std::optional<AttentionTile> choose_attention_tile(const DeviceInfo& device,
                                                   const AttentionShape& shape, uint32_t heads) {
    if (!multiplies_heads(device, shape)) return std::nullopt;
    // The more queries a workgroup has, the more of them share the keys that it loads. With few
    // workgroups, it is faster to divide the keys among subgroups.
    const auto workgroups = [&](uint32_t groups) {
        return uint64_t(heads) * divide_up(shape.queries, 16 * groups);
    };
    // With many workgroups, short rounds of keys are faster, even where one long round would do.
    const uint32_t most = most_blocks_of(device, shape.head, 1), cores = cores_of(device);
    const uint32_t key_blocks = divide_up(shape.keys, 16);
    const bool many_rounds = key_blocks > most;
    const uint32_t groups = many_rounds ? 8 : 4;
    if (workgroups(groups) >= (many_rounds ? 1 : 2) * cores && key_blocks > fewer_blocks[0]) {
        const uint32_t blocks = std::min(most, fewer_blocks[0]);
        if (const auto tile = in_chunks(device, shape, groups, 1, blocks)) return tile;
    }
    constexpr uint64_t many = 8 * cores_of_a_large_gpu;
    uint32_t query_groups = workgroups(8) >= many ? 8
                            : workgroups(4) >= 96 ? 4
                            : workgroups(2) >= 64 ? 2
                                                  : 1;
    uint32_t key_groups = query_groups < 4 ? 4 : workgroups(4) < cores_of_a_large_gpu ? 2 : 1;
    while (true) {
        const uint32_t all = most_blocks_of(device, shape.head, key_groups);
        const uint32_t blocks =
            key_blocks > all * key_groups ? std::min(all, fewer_blocks[0] / key_groups) : all;
        if (const auto tile = in_chunks(device, shape, query_groups, key_groups, blocks))
            return tile;
        // Large heads: the sums of fewer subgroups fit into shared memory.
        if (key_groups > 1)
            key_groups /= 2;
        else if (query_groups > 1)
            query_groups /= 2;
        else
            return std::nullopt;
    }
}

uint32_t AttentionBlock::shared_bytes(uint32_t head) const {
    const uint32_t tile = std::max(head * (keys / 4 + 1), keys * (head / 4 + 1));
    return (head * (queries / 4 + 1) + tile + keys * (queries / 4 + 1) + threads) * 16;
}

std::optional<AttentionBlock> choose_attention_block(const Limits& limits, uint32_t keys,
                                                     uint32_t head) {
    // Wide heads keep twice the threads busy; with many keys, larger tiles pay.
    const AttentionBlock blocks[] = {{128, 32, 64}, {head > 32 ? 128u : 64u, 32, 32}, {64, 16, 16}};
    for (const AttentionBlock& block : std::span(blocks).subspan(head > 32 && keys >= 512 ? 0 : 1))
        if (block.shared_bytes(head) <= limits.shared_bytes &&
            block.threads <= limits.workgroup_threads)
            return block;
    return std::nullopt;
}

}  // namespace saccade
