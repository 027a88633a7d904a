#include "models/knock_outs/meter.h"

#include <gtest/gtest.h>

#include <cmath>

namespace saccade {
namespace {

// A score that is lost with the first fifth, or evenly.
Curves steep() {
    Curves curves{{0.8, 0.5, 0.2}, {0.1, 0.6, 0.7}};
    for (int i = 3; i <= 10; ++i) {
        curves.deletion.push_back(0.1);
        curves.insertion.push_back(0.8);
    }
    return curves;
}
Curves even(double shift = 0) {
    Curves curves;
    for (int i = 0; i <= 10; ++i) {
        curves.deletion.push_back(0.8 - 0.07 * i + (i % 10 == 0 ? 0 : shift));
        curves.insertion.push_back(0.1 + 0.07 * i + (i % 10 == 0 ? 0 : shift));
    }
    return curves;
}

TEST(MeterTest, areas_are_mean_heights_and_a_fifth_is_two_of_ten_parts) {
    EXPECT_NEAR(even().deletion_area(), 0.45, 1e-12);
    EXPECT_NEAR(even().insertion_area(), 0.45, 1e-12);
    EXPECT_NEAR(steep().deletion_area(), (0.65 + 0.35 + 0.15 + 0.7) / 10, 1e-12);
    EXPECT_NEAR(steep().lost_with_a_fifth(), 0.75, 1e-12);
    EXPECT_NEAR(even().lost_with_a_fifth(), 0.175, 1e-12);
}

TEST(MeterTest, says_in_words_what_a_map_is_worth_beside_random_orders) {
    Meter meter;
    for (int i = 0; i < 8; ++i) meter.random.push_back(even(0.01 * (i % 2)));
    meter.methods = {{"cause", steep()}, {"attention", even(0.005)}};
    EXPECT_TRUE(meter.beats_random(meter.methods[0]));
    EXPECT_FALSE(meter.beats_random(meter.methods[1]));
    EXPECT_EQ(meter.in_words(meter.methods[0]),
              "the fifth that it ranks first carries 75 % of the score, a random fifth 17 %");
    EXPECT_TRUE(meter.in_words(meter.methods[1]).ends_with("it does no better than random"));
    EXPECT_GT(meter.random_deletion().deviation, 0);
}

// Two parts of the picture are each enough: without the one that a map ranks first nothing is lost.
TEST(MeterTest, says_so_where_the_rest_of_the_picture_makes_up_for_what_a_map_ranks_first) {
    Meter meter;
    for (int i = 0; i < 8; ++i) meter.random.push_back(even(0.01 * (i % 2)));
    Curves enough = steep();  // alone, but not needed
    enough.deletion = even(0.1).deletion;
    Curves neither = even(0.1);
    neither.insertion = even(-0.1).insertion;
    meter.methods = {{"cause", enough}, {"attention", neither}, {"rollout", steep()}};
    EXPECT_TRUE(meter.is_made_up_for(meter.methods[0]));
    EXPECT_TRUE(meter.beats_random(meter.methods[0]));
    EXPECT_FALSE(meter.is_made_up_for(meter.methods[2]));
    EXPECT_EQ(meter.in_words(meter.methods[0]),
              "the fifth that it ranks first carries 5 % of the score, a random fifth 17 %; the "
              "rest of the picture makes up for it");
    EXPECT_EQ(meter.in_words(meter.methods[1]),
              "the fifth that it ranks first carries 5 % of the score, a random fifth 17 %; the "
              "rest of the picture makes up for it; it does no better than random");
    EXPECT_EQ(meter.in_words(meter.methods[2]).find("makes up"), std::string::npos);
}

TEST(MeterTest, orders_begin_with_the_largest_and_keep_the_order_of_equals) {
    EXPECT_EQ(order_of(std::vector<float>{0.5f, 2, 0.5f, -1, 3}),
              (std::vector<uint32_t>{4, 1, 0, 2, 3}));
}

TEST(MeterTest, a_map_is_read_at_the_middles_of_other_cells) {
    const MapGeometry coarse{.grid = {2, 1}, .corner = {}, .cell = {50, 60}};
    const MapGeometry fine{.grid = {4, 2}, .corner = {}, .cell = {25, 30}};
    const std::vector<float> cells{1, 2};
    EXPECT_EQ(resampled(cells, coarse, fine), (std::vector<float>{1, 1, 2, 2, 1, 1, 2, 2}));
}

}  // namespace
}  // namespace saccade
