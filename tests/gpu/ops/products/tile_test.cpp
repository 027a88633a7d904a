// Tiles for devices that this machine need not have.

#include <gtest/gtest.h>

#include "gpu/ops/attention/attention_tile.h"
#include "gpu/ops/products/tile_table.h"

namespace saccade {
namespace {

DeviceInfo gpu(uint32_t subgroup, uint32_t shared_bytes, MatrixShape shape) {
    DeviceInfo info;
    info.kind = DeviceKind::discrete;
    info.limits.subgroup_size = subgroup;
    info.limits.shared_bytes = shared_bytes;
    info.limits.workgroup_threads = 1024;
    info.features.cooperative_matrix = true;
    info.features.matrix_shapes = {shape};
    return info;
}
const DeviceInfo devices[] = {gpu(32, 49152, {16, 16, 16}), gpu(64, 65536, {16, 16, 16}),
                              gpu(32, 32768, {8, 16, 16}), gpu(16, 49152, {8, 8, 16})};
const HeldFragments in_fours{.eights = 1, .alike = true, .in_fours = true};

// Workgroups write the columns of few rows in fours, so their number must be a multiple of four.
TEST(Tile, few_rows_are_written_in_whole_fours) {
    for (const DeviceInfo& device : devices)
        for (uint32_t rows = 1; rows <= 8; ++rows)
            for (uint32_t columns : {1u, 4u, 768u, 1000u, 3072u, 50257u})
                for (uint32_t depth : {8u, 768u, 3072u})
                    if (const auto tile = choose_row_tile(device, rows, columns, depth)) {
                        EXPECT_EQ(tile->group() % 4, 0u) << rows << " x " << columns;
                        EXPECT_GE(tile->rows, rows);
                        EXPECT_EQ(tile->threads % tile->lanes, 0u);
                        EXPECT_LE(tile->shared_bytes(), device.limits.shared_bytes);
                    }
}

TEST(Tile, a_matrix_tile_is_filled_by_its_subgroups_and_loaded_by_its_threads) {
    int found = 0;
    for (const DeviceInfo& device : devices)
        for (uint32_t rows : {16u, 100u, 197u, 850u, 12608u, 53400u})
            for (uint32_t columns : {4u, 64u, 128u, 768u, 3072u})
                for (uint32_t depth : {24u, 64u, 768u, 4608u})
                    if (const auto t =
                            choose_matrix_tile(device, in_fours, {1, rows, columns, depth})) {
                        ++found;
                        const uint32_t loads = t->bk / 8;
                        EXPECT_EQ(t->shares * (t->bm / t->wm) * (t->bn / t->wn), t->subgroups);
                        EXPECT_EQ(t->threads, t->subgroups * device.limits.subgroup_size);
                        EXPECT_EQ(t->wm % t->fragment.m + t->wn % t->fragment.n, 0u);
                        EXPECT_EQ(t->bk % t->fragment.k, 0u);
                        const uint32_t of_a_share = t->threads / t->shares;
                        EXPECT_EQ(t->bm * loads % of_a_share, 0u);
                        // A thread loads the same eight of every row that it loads.
                        EXPECT_EQ(of_a_share % loads, 0u);
                        EXPECT_EQ(t->bk / t->fragment.k % t->ahead, 0u);
                        // A subgroup takes whole rows of its sums out, until none is left.
                        const uint32_t rows_at_once = device.limits.subgroup_size / (t->wn / 4);
                        ASSERT_GT(rows_at_once, 0u);
                        EXPECT_EQ(t->fragment.m % rows_at_once, 0u);
                        EXPECT_LE(t->shared_bytes(), device.limits.shared_bytes);
                        EXPECT_GE(t->groups * t->bm * t->bn, uint64_t(rows) * columns);
                        EXPECT_LE(t->splits * t->shares * 512, std::max(512u, depth));
                        // Every thread of a split has sums.
                        EXPECT_TRUE(t->splits == 1 ||
                                    device.limits.subgroup_size % (t->wn / 4) == 0);
                    }
    EXPECT_GT(found, 100);
}

TEST(Tile, a_deep_product_of_few_tiles_fills_a_large_gpu) {
    const auto deep = choose_matrix_tile(devices[0], in_fours, {1, 197, 768, 3072});
    ASSERT_TRUE(deep);
    EXPECT_GE(deep->groups * deep->splits, 132u);
    EXPECT_GT(deep->splits, 1u);
    const auto large = choose_matrix_tile(devices[0], in_fours, {1, 12608, 768, 3072});
    ASSERT_TRUE(large);
    EXPECT_EQ(large->splits, 1u);
}

// Rows and columns of a tile as one number: 64256 is 64 x 256; 0 is none.
uint32_t sides(const std::optional<MatrixTile>& t) { return t ? t->bm * 1000 + t->bn : 0; }

// Of what an H200 has for eight pictures of ViT-B, these were measured to be the fastest.
TEST(Tile, products_of_eight_pictures_leave_no_core_idle_for_long) {
    EXPECT_EQ(sides(choose_matrix_tile(devices[0], in_fours, {1, 1576, 3072, 768})), 48192u);
    const auto deep = choose_matrix_tile(devices[0], in_fours, {1, 1576, 768, 3072});
    ASSERT_TRUE(deep);
    EXPECT_EQ(sides(deep), 48192u);
    EXPECT_EQ(deep->splits, 1u);
}

// Where there is less than one workgroup for a core, its shares multiply while others wait.
TEST(Tile, a_deep_convolution_of_few_tiles_is_shared_within_workgroups) {
    const Product convolution{1, 1600, 256, 2304};
    const auto shared = choose_matrix_tile(devices[0], in_fours, convolution);
    ASSERT_TRUE(shared);
    EXPECT_EQ(shared->shares, 3u);
    EXPECT_EQ(shared->splits, 1u);
    // Shares add up fours.
    const auto alone = choose_matrix_tile(devices[0], {.eights = 1, .alike = true}, convolution);
    ASSERT_TRUE(alone);
    EXPECT_EQ(alone->shares, 1u);
}

TEST(Tile, attention_goes_over_all_keys_in_few_rounds_and_little_shared_memory) {
    int found = 0;
    for (const DeviceInfo& device : devices)
        for (uint32_t queries : {16u, 100u, 197u, 4300u})
            for (uint32_t keys : {1u, 17u, 197u, 850u, 4300u})
                for (uint32_t head : {16u, 32u, 64u, 96u})
                    for (uint32_t heads : {1u, 12u, 768u}) {
                        const AttentionShape shape{queries, keys, head};
                        const auto t = choose_attention_tile(device, shape, heads);
                        if (!t) continue;
                        ++found;
                        EXPECT_EQ(t->threads,
                                  t->query_groups * t->key_groups * device.limits.subgroup_size);
                        EXPECT_LE(t->threads, device.limits.workgroup_threads);
                        EXPECT_LE(t->shared_bytes(head), device.limits.shared_bytes);
                        EXPECT_LE(t->chunks * t->chunk_blocks, 16u);
                        // Rounds waste at most the keys that fill up the last one.
                        const uint32_t blocks = (keys + 15) / 16;
                        const uint32_t rounds = (blocks + t->blocks() - 1) / t->blocks();
                        EXPECT_LT(rounds * t->blocks(), blocks + t->blocks());
                        EXPECT_TRUE(rounds == 1 || (t->blocks() <= 8 && blocks > 8))
                            << "one round, or short ones";
                        EXPECT_EQ(t->online, rounds > 1) << "keys are gone over once";
                    }
    EXPECT_GT(found, 400);
}

TEST(Tile, attention_can_be_tried_in_both_forms_and_in_shorter_rounds) {
    int twice = 0, once = 0, in_short_rounds = 0;
    for (const AttentionTile& t : attention_tiles(devices[0], {1370, 1370, 64})) {
        EXPECT_LE(t.shared_bytes(64), devices[0].limits.shared_bytes);
        ++(t.online ? once : twice);
        in_short_rounds += t.chunks * t.chunk_blocks <= 4;
    }
    EXPECT_GE(twice, 6);
    EXPECT_GE(in_short_rounds, twice);
    EXPECT_GE(once, twice + in_short_rounds);
    for (const AttentionTile& t : attention_tiles(devices[0], {50, 50, 64})) EXPECT_FALSE(t.online);
}

TEST(Tile, attention_has_a_tile_for_heads_of_up_to_96_columns) {
    EXPECT_FALSE(choose_attention_tile(devices[0], {197, 197, 128}, 12));
    for (uint32_t head = 16; head <= 96; head += 16)
        for (uint32_t heads : {1u, 16u, 1024u})
            for (uint32_t tokens : {50u, 257u, 850u})
                EXPECT_TRUE(choose_attention_tile(devices[0], {tokens, tokens, head}, heads))
                    << heads << " heads of " << head << ", " << tokens << " tokens";
}

TEST(Tile, attention_on_rdna3_holds_no_more_scores_than_its_registers_do) {
    DeviceInfo radeon = gpu(32, 65536, {16, 16, 16});
    radeon.vendor_id = vendors::amd;
    for (uint32_t head : {32u, 64u})
        for (uint32_t heads : {1u, 12u, 768u})
            for (uint32_t tokens : {197u, 850u, 4300u}) {
                const auto t = choose_attention_tile(radeon, {tokens, tokens, head}, heads);
                ASSERT_TRUE(t);
                EXPECT_LE(t->chunks * t->chunk_blocks, head > 32 ? 7u : 10u);
            }
}

TEST(Tile, attention_fills_a_large_gpu_with_one_picture_and_has_short_rounds_with_many) {
    const auto one = choose_attention_tile(devices[0], {197, 197, 64}, 12);
    ASSERT_TRUE(one);
    EXPECT_EQ(one->query_groups * one->key_groups, 8u);
    for (const uint32_t pictures : {8u, 64u}) {
        const auto many = choose_attention_tile(devices[0], {197, 197, 64}, pictures * 12);
        ASSERT_TRUE(many);
        EXPECT_EQ(many->query_groups, 4u);
        EXPECT_EQ(many->key_groups, 1u);
        EXPECT_EQ(many->blocks(), 7u);
        EXPECT_TRUE(many->online);
    }
    const auto few_keys = choose_attention_tile(devices[0], {197, 100, 64}, 768);
    ASSERT_TRUE(few_keys);
    EXPECT_FALSE(few_keys->online);
}

TEST(Tile, shallow_products_leave_in_small_tiles) {
    EXPECT_EQ(sides(choose_matrix_tile(devices[0], in_fours, {1, 53400, 256, 64})), 32128u);
    EXPECT_EQ(sides(choose_matrix_tile(devices[0], in_fours, {1, 53400, 256, 512})), 64256u);
}

TEST(Tile, there_is_none_without_cooperative_matrices_or_for_few_rows) {
    DeviceInfo without = devices[0];
    without.features.cooperative_matrix = false;
    EXPECT_FALSE(choose_matrix_tile(without, in_fours, {1, 197, 768, 768}));
    EXPECT_FALSE(choose_matrix_tile(devices[0], in_fours, {1, 8, 768, 768}));
}

}  // namespace
}  // namespace saccade
