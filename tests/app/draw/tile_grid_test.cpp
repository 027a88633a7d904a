#include "app/draw/tile_grid.h"

#include <gtest/gtest.h>

#include "gpu/core/error.h"

namespace saccade {
namespace {

TEST(TileGrid, every_pixel_is_in_one_tile_or_around_them) {
    for (Size frame : {Size{64, 48}, Size{61, 37}, Size{40, 90}})
        for (uint32_t count : {2u, 3u, 4u, 6u, 12u, 16u}) {
            const TileGrid grid(frame, count, 2);
            std::vector<int> tiles(size_t(frame.x) * frame.y), around = tiles;
            auto mark = [&](std::vector<int>& pixels, const Rectangle& r) {
                EXPECT_LE(r.max.x, float(frame.x));
                EXPECT_LE(r.max.y, float(frame.y));
                for (uint32_t y = uint32_t(r.min.y); y < uint32_t(r.max.y); ++y)
                    for (uint32_t x = uint32_t(r.min.x); x < uint32_t(r.max.x); ++x)
                        ++pixels[size_t(y) * frame.x + x];
            };
            for (uint32_t i = 0; i < count; ++i) mark(tiles, grid.tile(i));
            for (const Rectangle& rest : grid.around()) mark(around, rest);
            for (size_t i = 0; i < tiles.size(); ++i) {
                ASSERT_LE(tiles[i], 1) << count << " tiles, pixel " << i;
                ASSERT_EQ(around[i] == 0, tiles[i] == 1) << count << " tiles, pixel " << i;
            }
        }
}

TEST(TileGrid, tiles_have_the_proportions_of_the_frame) {
    const TileGrid grid({1280, 720}, 12, 3);
    EXPECT_EQ(grid.tiles().across, 4u);
    EXPECT_EQ(grid.tile_size(), (Size{317, 177}));
    EXPECT_EQ(grid.tile(5).min.x, 320);
    EXPECT_EQ(grid.tile(5).min.y, 90 + 180) << "three rows of four, in the middle";
}

TEST(TileGrid, a_point_of_a_tile_is_one_of_the_frame) {
    const TileGrid grid({1280, 720}, 11, 3);
    for (uint32_t i : {0u, 5u, 10u}) {
        const Rectangle tile = grid.tile(i);
        const auto point = grid.shown_at(tile.min + glm::vec2(317 / 2.0f, 177 / 4.0f));
        ASSERT_TRUE(point);
        EXPECT_FLOAT_EQ(point->x, 640);
        EXPECT_FLOAT_EQ(point->y, 180);
    }
    EXPECT_FALSE(grid.shown_at({grid.tile(0).max.x + 1, 100})) << "between two";
    EXPECT_FALSE(grid.shown_at({1100, 600})) << "there is no twelfth";
}

TEST(TileGrid, a_frame_that_is_too_small_is_refused) {
    EXPECT_THROW(TileGrid({8, 8}, 16, 2), Error);
    EXPECT_NO_THROW(TileGrid({12, 12}, 16, 2));
}

TEST(TileGrid, of_an_image_at_another_scale_speaks_of_pixels_of_the_picture) {
    const TileGrid large({640, 480}, 4, 2, {64, 48}), small({64, 48}, 4, 0);
    for (const glm::vec2& point : {glm::vec2(3, 4), glm::vec2(40, 10), glm::vec2(50, 40)}) {
        const auto there = large.shown_at(point), here = small.shown_at(point);
        ASSERT_TRUE(there && here);
        EXPECT_NEAR(there->x, here->x, 0.5);
        EXPECT_NEAR(there->y, here->y, 0.5);
    }
}

}  // namespace
}  // namespace saccade
