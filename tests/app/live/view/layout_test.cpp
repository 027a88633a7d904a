#include "app/live/view/layout.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

bool share_pixels(const Rectangle& a, const Rectangle& b) {
    return a.min.x < b.max.x && b.min.x < a.max.x && a.min.y < b.max.y && b.min.y < a.max.y;
}

TEST(ViewLayout, nothing_covers_anything_and_the_picture_has_the_room_that_is_left) {
    for (const glm::vec2& window : {glm::vec2(700, 420), {1280, 800}, {1920, 1080}})
        for (const float em : {15.0f, 30.0f})  // on a display with twice the dots per inch
            for (const bool player : {false, true}) {
                SCOPED_TRACE(std::to_string(window.x) + " wide, letters of " + std::to_string(em));
                const ViewLayout all = lay_out({window, em, true, player});
                const Rectangle parts[] = {all.panel, all.picture, all.player, all.status};
                float sum = 0;
                for (const Rectangle& part : parts) {
                    sum += part.area();
                    EXPECT_LE(part.max.x, window.x);
                    EXPECT_LE(part.max.y, window.y);
                    for (const Rectangle& other : parts)
                        EXPECT_TRUE(&part == &other || !share_pixels(part, other));
                }
                EXPECT_EQ(sum, window.x * window.y);
                EXPECT_GT(all.picture.max.x - all.picture.min.x, window.x / 2);
                EXPECT_GT(all.picture.max.y - all.picture.min.y, 0.65f * window.y);
                EXPECT_EQ(all.player.area() > 0, player);
            }
}

TEST(ViewLayout, without_the_panel_the_picture_has_the_whole_width) {
    const ViewLayout all = lay_out({{1280, 800}, 15, false, false});
    EXPECT_EQ(all.panel.area(), 0);
    EXPECT_EQ(all.picture.min.x, 0);
    EXPECT_EQ(all.picture.max.x, 1280);
}

TEST(ViewLayout, two_views_lie_where_they_are_largest) {
    EXPECT_FALSE(better_below({640, 480}, {900, 400}));
    EXPECT_TRUE(better_below({640, 480}, {400, 700}));
    EXPECT_TRUE(better_below({1920, 400}, {900, 700})) << "wide pictures";
    EXPECT_FALSE(better_below({}, {900, 700})) << "before there is one";
}

}  // namespace
}  // namespace saccade
