#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "gpu/ops/draw.h"
#include "shaders/draw/params.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

struct Levels {
    float smallest, largest, cut, sum;
};

class HeatLevelsTest : public ImageTest {
protected:
    std::vector<Levels> levels(uint32_t maps, uint32_t rows, uint32_t columns,
                               const std::vector<float>& cells, float mass) {
        const Tensor in = tensor(maps, rows, columns, Type::f32, cells);
        const params::HeatSettings settings{
            .opacity = 1, .mass = mass, .lowest = 0, .highest = 1, .scale = params::heat_scale_max};
        const std::vector<float> got =
            run([&](Commands& c) { return heat_levels(c, in, structs(std::vector{settings})); });
        std::vector<Levels> result(maps);
        std::memcpy(result.data(), got.data(), got.size() * sizeof(float));
        return result;
    }
    // The cut, found by sorting: the smallest of the largest cells that together hold the mass.
    static float cut_of(std::vector<float> cells, double mass) {
        std::ranges::sort(cells, std::greater());
        double all = 0, sum = 0;
        for (float v : cells) all += double(v);
        for (float v : cells)
            if ((sum += double(v)) >= mass * all) return v;
        return 0;
    }
};

TEST_F(HeatLevelsTest, the_cut_leaves_the_fewest_cells_that_hold_the_mass) {
    for (Size grid : {Size{1, 1}, Size{5, 3}, Size{31, 24}, Size{83, 50}, Size{120, 90}}) {
        std::vector<float> cells = random(area(grid));
        for (float& v : cells) v = std::exp(6 * v);
        for (float mass : {0.1f, 0.5f, 0.9f, 0.99f}) {
            const Levels got = levels(1, grid.y, grid.x, cells, mass)[0];
            EXPECT_EQ(got.cut, cut_of(cells, double(mass)))
                << grid.x << "x" << grid.y << " " << mass;
            EXPECT_EQ(got.smallest, *std::ranges::min_element(cells));
            EXPECT_EQ(got.largest, *std::ranges::max_element(cells));
            double all = 0;
            for (float v : cells) all += double(v);
            EXPECT_NEAR(got.sum, all, 1e-5 * all);
        }
    }
}

TEST_F(HeatLevelsTest, sums_that_are_exact_are_met_exactly) {
    // 8 + 4 + 2 + 1 + 1 = 16
    const std::vector<float> cells = {1, 8, 2, 1, 4, 0};
    auto cut = [&](float mass) { return levels(1, 2, 3, cells, mass)[0].cut; };
    EXPECT_EQ(cut(0.5f), 8);
    EXPECT_EQ(cut(0.51f), 4);
    EXPECT_EQ(cut(0.75f), 4);
    EXPECT_EQ(cut(0.875f), 2);
    EXPECT_EQ(cut(0.9f), 1) << "equal cells stay together";
    EXPECT_EQ(cut(1), 1) << "a cell that holds nothing is not needed";
    EXPECT_EQ(cut(0), std::numeric_limits<float>::infinity()) << "nothing is enough";
}

TEST_F(HeatLevelsTest, every_map_has_its_own) {
    const auto got = levels(3, 1, 4, {1, 2, 3, 4, 10, 0, 0, 0, 5, 5, 5, 5}, 0.5f);
    EXPECT_EQ(got[0].cut, 3);
    EXPECT_EQ(got[1].cut, 10);
    EXPECT_EQ(got[1].smallest, 0);
    EXPECT_EQ(got[2].cut, 5);
    EXPECT_EQ(got[2].sum, 20);
}

TEST_F(HeatLevelsTest, what_is_negative_or_not_a_number_counts_as_nothing) {
    const Levels got = levels(1, 1, 5, {NAN, -7, 1, 3, -INFINITY}, 0.75f)[0];
    EXPECT_EQ(got.smallest, 0);
    EXPECT_EQ(got.largest, 3);
    EXPECT_EQ(got.cut, 3);
    EXPECT_EQ(got.sum, 4);
    EXPECT_EQ(levels(1, 1, 2, {0, 0}, 0.5f)[0].cut, std::numeric_limits<float>::infinity());
}

TEST_F(HeatLevelsTest, refuses_maps_of_other_types) {
    const Tensor settings = poisoned(1, 1, 8, Type::u32);
    begin();
    EXPECT_THROW(heat_levels(commands, random_tensor(1, 2, 2, Type::f16), settings), Error);
    EXPECT_THROW(heat_levels(commands, random_tensor(1, 2, 2, Type::f32), Tensor()), Error);
    finish();
}

}  // namespace
}  // namespace saccade
