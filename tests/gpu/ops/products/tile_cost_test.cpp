#include "gpu/ops/products/tile_cost.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

TEST(TileCost, a_split_has_a_part_of_the_depth_and_more_workgroups) {
    EXPECT_EQ(load_of(100, 1, 132, 3072).of_a_core, 1u);
    EXPECT_EQ(load_of(100, 2, 132, 3072).of_a_core, 2u);
    EXPECT_EQ(load_of(100, 2, 132, 3072).depth, 1536.0);
    EXPECT_EQ(load_of(133, 1, 132, 768).of_a_core, 2u);
}

TEST(TileCost, grows_with_depth_and_with_the_workgroups_of_a_core) {
    const Times times{.alone = 12, .each = 8, .out = 2};
    EXPECT_EQ(cost_of(times, {1, measured_depth}), 14.0) << "a workgroup that has a core to itself";
    EXPECT_EQ(cost_of(times, {4, measured_depth}), 40.0);
    EXPECT_EQ(cost_of(times, {4, 2 * measured_depth}), 72.0)
        << "the way out stays as long as it is";
}

}  // namespace
}  // namespace saccade
