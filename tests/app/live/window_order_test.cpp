#include "app/live/window_order.h"

#include <gtest/gtest.h>

#include "app/live/input.h"

namespace saccade {
namespace {

using Kind = SecondView::Kind;

SecondView second_view(Kind kind, bool below) {
    SecondView second;
    second.kind = kind;
    second.below = below;
    return second;
}

TEST(WindowOrder, a_picture_has_the_pixels_of_its_place_on_the_screen) {
    const WindowOrder order = window_order({256, 192}, {1000, 700}, {});
    EXPECT_EQ(order.all, Size(933, 700));
    EXPECT_EQ(order.view, order.all);
    EXPECT_EQ(window_order({1920, 1080}, {640, 400}, {}).all, Size(640, 360));
}

TEST(WindowOrder, two_views_fill_the_place_of_both_where_the_pointer_finds_them) {
    for (const bool below : {false, true})
        for (const Size& frame : {Size(256, 192), Size(97, 333), Size(1920, 1080)}) {
            const Size room(1011, 703);
            const WindowOrder order = window_order(frame, room, second_view(Kind::maps, below));
            LiveScene scene;
            scene.picture = frame;
            scene.second = {below, false, {}};
            const Placement place = fitted(size_of(scene), room);
            EXPECT_EQ(order.all, Size(place.width, place.height));
            EXPECT_EQ(order.second_corner + order.view, order.all);
            EXPECT_EQ(order.second_corner.x == 0, below);
            EXPECT_EQ(order.second_corner.y > 0, below);
            // The middle of either view is the middle of the frame.
            scene.place = {0, 0, place.width, place.height};
            for (const bool second : {false, true}) {
                const Size corner = second ? order.second_corner : Size();
                const std::optional<ScenePoint> point =
                    point_in_picture(scene, glm::vec2(corner) + glm::vec2(order.view) * 0.5f);
                ASSERT_TRUE(point);
                EXPECT_EQ(point->second, second);
                EXPECT_NEAR(point->pixel.x, float(frame.x) / 2, 1 + float(frame.x) / 500);
                EXPECT_NEAR(point->pixel.y, float(frame.y) / 2, 1 + float(frame.y) / 500);
            }
        }
}

TEST(WindowOrder, a_window_without_room_gets_a_small_picture_all_the_same) {
    const WindowOrder tiny = window_order({640, 480}, {20, 9}, {});
    EXPECT_EQ(tiny.view.y, 64u);
    EXPECT_EQ(window_order({8, 6}, {4, 3}, {}).view, Size(8, 6)) << "its own pixels are enough";
}

}  // namespace
}  // namespace saccade
