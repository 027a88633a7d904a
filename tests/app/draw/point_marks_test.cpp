#include "app/draw/point_marks.h"

#include <gtest/gtest.h>

#include <set>

namespace saccade {
namespace {

TEST(PointMarks, are_as_large_as_their_shares_and_the_heaviest_lies_on_top) {
    const std::vector<Marks::Dot> dots =
        dots_of({{{10, 20}, 0.5f, 0}, {{30, 40}, 0.02f, 2}, {{50, 60}, 0.25f, 1}});
    ASSERT_EQ(dots.size(), 6u) << "each with its rim";
    EXPECT_EQ(dots[1].place, glm::vec2(30, 40));
    EXPECT_EQ(dots[5].place, glm::vec2(10, 20));
    EXPECT_EQ(dots[5].colour, level_colour(0));
    EXPECT_EQ(dots[4].place, dots[5].place);
    EXPECT_GT(dots[4].size, dots[5].size);
    // Twice the share is twice the area.
    EXPECT_NEAR(dots[5].size * dots[5].size, 2 * dots[3].size * dots[3].size, 1e-3);
    EXPECT_GT(point_size(0), 0) << "even what weighs nothing is looked at";
}

TEST(PointMarks, of_each_level_have_a_colour_that_is_told) {
    std::set<uint32_t> colours;
    for (uint32_t level = 0; level < 4; ++level) colours.insert(level_colour(level));
    EXPECT_EQ(colours.size(), 4u);
    EXPECT_EQ(levels_text({{80, 60}, {40, 30}, {20, 15}}),
              "maps of 80 \u00d7 60 (cyan), 40 \u00d7 30 (green) and 20 \u00d7 15 (pink)");
}

}  // namespace
}  // namespace saccade
