#include "app/live/state/tour.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

using namespace std::chrono_literals;

TEST(TourTest, shows_the_strongest_detection_and_then_each_word) {
    Tour tour(true);
    Tour::Time now{1h};
    const Tour::Sights sights{.scene = 1, .query = 7, .words = 2, .all = true};
    EXPECT_EQ(tour.target(sights, now).query, 7u);
    EXPECT_TRUE(tour.first_round());
    EXPECT_EQ(tour.target(sights, now += 3s).word, 0u);
    EXPECT_EQ(tour.target(sights, now += 3s).word, 1u);
    EXPECT_EQ(tour.target(sights, now += 3s).query, 7u) << "and again";
    EXPECT_FALSE(tour.first_round());
    EXPECT_EQ(tour.target(sights, now += 3s).word, 0u);
    const Tour::Sights other{.scene = 2, .query = 9, .words = 5};
    EXPECT_EQ(tour.target(other, now).query, 9u) << "another picture";
}

TEST(TourTest, leaves_out_what_is_not_there) {
    Tour tour(true);
    Tour::Time now{1h};
    EXPECT_EQ(tour.target({.scene = 1, .words = 2}, now).word, 0u);
    EXPECT_EQ(tour.target({.scene = 1, .words = 1}, now += 3s), Target());
    EXPECT_EQ(tour.target({.scene = 3}, now), Target());
}

TEST(TourTest, ends_at_the_first_touch_and_never_comes_back) {
    Tour tour(true);
    const Tour::Sights sights{.scene = 1, .query = 7};
    tour.see_mouse({100, 100});
    tour.see_mouse({101, 100});
    EXPECT_TRUE(tour.on()) << "a window may open under a mouse that rests";
    tour.see_mouse({120, 100});
    EXPECT_FALSE(tour.on());
    EXPECT_EQ(tour.target(sights, Tour::Time{1h}), Target());
    EXPECT_FALSE(Tour(false).on());
}

}  // namespace
}  // namespace saccade
