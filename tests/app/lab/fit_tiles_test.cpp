// The times of a shape of tiles, found again in what products took.

#include "app/lab/fit_tiles.h"

#include <gtest/gtest.h>

#include <vector>

namespace saccade {
namespace {

TEST(FitTiles, are_found_again_in_what_products_took) {
    for (const Times& times : {Times{11.8, 7.5, 2.6}, Times{3.0, 1.6, 0.4}, Times{72, 66.2, 1}}) {
        std::vector<TimedLoad> loads;
        for (const uint64_t of_a_core : {1u, 2u, 3u, 8u, 37u})
            for (const double depth : {768.0, 3072.0}) {
                const Load load{of_a_core, depth};
                loads.push_back({load, cost_of(times, load)});
            }
        const Times found = fitted_times(loads);
        EXPECT_NEAR(found.alone, times.alone, 0.03 * times.alone);
        EXPECT_NEAR(found.each, times.each, 0.03 * times.each);
        EXPECT_NEAR(found.out, times.out, 0.15 * times.out);
        for (const TimedLoad& l : loads) EXPECT_NEAR(cost_of(found, l.load), l.us, 0.02 * l.us);
    }
    EXPECT_EQ(fitted_times({}).each, 0.0);
}

TEST(FitTiles, are_told_as_rows_of_the_table_one_for_each_shape) {
    std::vector<TileTime> times;
    for (const uint64_t of_a_core : {1u, 4u, 30u})
        for (const char* shape : {"64, 256, 64, 64, 64, 1", "16, 64, 256, 16, 16, 16"})
            times.push_back({.kernel = "linear.coopmat",
                             .tile = "",
                             .us = cost_of({11.8, 7.5, 2.6}, {of_a_core, 768}),
                             .shape = shape,
                             .of_a_core = of_a_core,
                             .depth = 768});
    times.push_back({.kernel = "linear.coopmat", .tile = "64x256x64/2", .us = 5});  // a split
    const std::vector<std::string> rows = fitted_rows(times);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_TRUE(rows[0].starts_with("{64, 256, 64, 64, 64, 1, {1")) << rows[0];
    EXPECT_NE(rows[1].find("// 3 products"), std::string::npos) << rows[1];
}

}  // namespace
}  // namespace saccade
