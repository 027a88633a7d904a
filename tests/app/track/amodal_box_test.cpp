#include "app/track/amodal_box.h"

#include <gtest/gtest.h>

#include <cmath>

namespace saccade {
namespace {

constexpr Size all_of_it(640, 480);

// An object of 100 x 60 that moves to the right by 30 pixels a second, at ten frames a second.
Rectangle thing_at(int frame) {
    const float x = 200 + 3 * static_cast<float>(frame);
    return {x, 100, x + 100, 160};
}

TEST(AmodalBoxes, are_what_is_seen_where_nothing_is_hidden) {
    AmodalBox whole;
    for (int i = 0; i < 20; ++i) {
        Rectangle seen = thing_at(i);
        seen.max.x += i % 2 ? 1.5f : -1.5f;  // it trembles
        EXPECT_EQ(whole.see(seen, 0.1 * i, all_of_it), seen) << i;
    }
}

TEST(AmodalBoxes, have_the_side_that_something_has_come_before) {
    AmodalBox whole;
    for (int i = 0; i < 10; ++i) whole.see(thing_at(i), 0.1 * i, all_of_it);
    for (int i = 10; i < 15; ++i) {
        Rectangle seen = thing_at(i);
        seen.max.x = 330 - 12 * static_cast<float>(i - 9);  // the occluder comes nearer
        const std::optional<Rectangle> found = whole.see(seen, 0.1 * i, all_of_it);
        ASSERT_TRUE(found);
        const float truth = thing_at(i).middle().x;
        EXPECT_LT(std::abs(found->middle().x - truth), 0.4f * std::abs(seen.middle().x - truth));
        EXPECT_NEAR(found->min.x, seen.min.x, 5) << "that side is seen";
    }
}

TEST(AmodalBoxes, go_on_beyond_the_edge_of_the_picture) {
    AmodalBox whole;
    float x = 100;
    for (int i = 0; i < 14; ++i, x -= 10) {
        const Rectangle seen{std::max(x, 0.0f), 100, x + 100, 160};
        const std::optional<Rectangle> found = whole.see(seen, 0.1 * i, all_of_it);
        ASSERT_TRUE(found);
        EXPECT_NEAR(found->middle().x, x + 50, 6) << i;
    }
}

TEST(AmodalBoxes, shrink_as_slowly_as_things_do) {
    AmodalBox whole;
    Rectangle seen = thing_at(0);
    for (int i = 0; i < 30; ++i, seen.max.x -= 1)
        EXPECT_EQ(whole.see(seen, 0.1 * i, all_of_it), seen) << i;
}

TEST(AmodalBoxes, say_nothing_where_hardly_anything_is_seen) {
    AmodalBox whole;
    for (int i = 0; i < 10; ++i) whole.see(thing_at(i), 0.1 * i, all_of_it);
    EXPECT_FALSE(whole.see({300, 100, 318, 130}, 1.0, all_of_it));
    EXPECT_EQ(whole.see(thing_at(11), 1.1, all_of_it), thing_at(11)) << "it is back";
}

TEST(AmodalBoxes, are_beyond_the_edge_that_they_touch_wherever_they_were) {
    AmodalBox whole;
    for (int i = 0; i < 10; ++i) whole.see({100, 100, 200, 160}, 0.1 * i, all_of_it);
    const std::optional<Rectangle> found = whole.see({0, 100, 60, 160}, 1.2, all_of_it);
    ASSERT_TRUE(found);
    EXPECT_LT(found->min.x, -20);
    EXPECT_EQ(found->max.x, 60);
}

}  // namespace
}  // namespace saccade
