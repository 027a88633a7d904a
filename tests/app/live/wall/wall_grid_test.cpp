#include "app/live/wall/wall_grid.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

TEST(WallGridTest, tiles_fill_their_room_and_none_covers_another) {
    for (const Size& room : {Size(700, 420), Size(1280, 800), Size(1920, 1080), Size(400, 900)})
        for (size_t count = 2; count <= 64; ++count) {
            SCOPED_TRACE(std::to_string(count) + " in " + std::to_string(room.x));
            const std::vector<WindowTile> tiles = wall_grid(count, room);
            ASSERT_EQ(tiles.size(), count);
            double pictures = 0;
            for (size_t i = 0; i < count; ++i) {
                const WindowTile& a = tiles[i];
                EXPECT_EQ(a.all, room);
                EXPECT_LE(a.corner.x + a.size.x, room.x);
                EXPECT_LE(a.corner.y + a.size.y, room.y);
                pictures +=
                    std::min(a.size.x * a.size.x * 9 / 16.0, a.size.y * a.size.y * 16 / 9.0);
                for (size_t j = 0; j < i; ++j) {
                    const WindowTile& b = tiles[j];
                    const bool apart = a.corner.x >= b.corner.x + b.size.x ||
                                       b.corner.x >= a.corner.x + a.size.x ||
                                       a.corner.y >= b.corner.y + b.size.y ||
                                       b.corner.y >= a.corner.y + a.size.y;
                    EXPECT_TRUE(apart) << i << " and " << j;
                }
            }
            // Two pictures of 16:9 cannot fill every window.
            EXPECT_GT(pictures, (count == 2 ? 0.35 : 0.4) * area(room));
        }
}

TEST(WallGridTest, a_room_without_area_is_no_trouble) {
    EXPECT_EQ(wall_grid(3, {0, 0}).size(), 3u);
    EXPECT_TRUE(wall_grid(0, {10, 10}).empty());
}

}  // namespace
}  // namespace saccade
