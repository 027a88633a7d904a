#include "app/track/occluded_path.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

constexpr Size picture(640, 480);
const Rectangle wall{100, 0, 300, 480};

// An object of 40 x 40 with this centre.
Rectangle at(float x) { return {x - 20, 180, x + 20, 220}; }

TEST(OccludedPaths, lead_back_behind_what_a_thing_comes_out_from) {
    OccludedPath way;
    way.begin(at(310), wall, 5.0);
    EXPECT_FALSE(way.came_from(at(330), 5.1, 1.5, picture)) << "too early to tell how fast it is";
    const std::optional<Rectangle> from = way.came_from(at(370), 5.3, 1.5, picture);
    ASSERT_TRUE(from);
    EXPECT_NEAR(from->middle().x, 85, 6) << "the other side of the wall";
    EXPECT_NEAR(from->middle().y, 200, 0.01);
    EXPECT_FALSE(way.came_from(at(390), 5.4, 1.5, picture)) << "it is said once";
}

TEST(OccludedPaths, are_no_longer_than_somebody_waits_for_a_thing) {
    OccludedPath way;
    way.begin(at(310), wall, 0);
    const std::optional<Rectangle> from = way.came_from(at(340), 0.3, 1.5, picture);
    ASSERT_TRUE(from);
    EXPECT_NEAR(from->middle().x, 310 - 150, 6);
}

TEST(OccludedPaths, end_where_the_picture_does) {
    OccludedPath way;
    way.begin(at(40), {0, 0, 60, 480}, 0);
    const std::optional<Rectangle> from = way.came_from(at(100), 0.3, 1.5, picture);
    ASSERT_TRUE(from);
    EXPECT_GE(from->middle().x, 0);
    EXPECT_LT(from->middle().x, 20);
}

TEST(OccludedPaths, are_not_made_up) {
    OccludedPath still, other, open;
    still.begin(at(310), wall, 0);
    EXPECT_FALSE(still.came_from(at(313), 0.3, 1.5, picture)) << "it hardly moves";
    other.begin(at(310), wall, 0);
    EXPECT_FALSE(other.came_from(at(270), 0.3, 1.5, picture)) << "it goes behind the wall";
    EXPECT_FALSE(open.came_from(at(270), 0.3, 1.5, picture)) << "nothing was before it";
}

}  // namespace
}  // namespace saccade
