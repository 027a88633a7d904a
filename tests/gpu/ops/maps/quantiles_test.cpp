#include <algorithm>
#include <cmath>

#include "gpu/ops/maps.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class QuantilesTest : public GpuTest {
protected:
    std::vector<float> ranges(const std::vector<float>& cells, uint32_t maps, Size grid,
                              const Quantiles& how, const std::vector<float>& before) {
        const Tensor x = tensor(maps, grid.y, grid.x, Type::f32, cells);
        const Tensor y = tensor(1, maps, 2, Type::f32, before);
        begin();
        quantiles_into(commands, y, x, how);
        finish();
        return values(y);
    }
    static float ranked(std::span<const float> cells, size_t rank) {
        std::vector<float> sorted(cells.begin(), cells.end());
        std::ranges::sort(sorted);
        return sorted[rank];
    }
};

TEST_F(QuantilesTest, are_exactly_those_of_sorted_cells) {
    for (const Size& grid : {Size{1, 1}, Size{7, 5}, Size{33, 31}, Size{120, 90}})
        for (float part : {0.0f, 0.02f, 0.25f}) {
            const uint32_t n = grid.x * grid.y, maps = 3;
            std::vector<float> cells = random(size_t(n) * maps);
            for (size_t i = 0; i < n; ++i) cells[i] = std::abs(cells[i]);  // none below 0,
            for (size_t i = n; i < 2 * n; ++i)
                cells[i] = -1e6f * std::abs(cells[i]);  // all, and some
            const auto rank = static_cast<size_t>(part * static_cast<float>(n - 1) + 0.5f);
            const std::vector<float> got =
                ranges(cells, maps, grid, {part}, std::vector<float>(2 * maps, NAN));
            for (size_t map = 0; map < maps; ++map) {
                const std::span one = std::span(cells).subspan(map * n, n);
                EXPECT_EQ(got[2 * map], ranked(one, rank)) << n << " cells, map " << map;
                EXPECT_EQ(got[2 * map + 1], ranked(one, n - 1 - rank))
                    << n << " cells, map " << map;
            }
        }
}

TEST_F(QuantilesTest, keep_some_of_what_they_were) {
    const std::vector<float> got = ranges({1, 2, 3, 4}, 1, {2, 2}, {0, 0.75f}, {5, 8});
    EXPECT_FLOAT_EQ(got[0], 4);
    EXPECT_FLOAT_EQ(got[1], 7);
    const std::vector<float> anew = ranges({1, 2, 3, 4}, 1, {2, 2}, {0, 0.75f}, {NAN, INFINITY});
    EXPECT_EQ(anew[0], 1) << "what is not a number is not kept";
    EXPECT_EQ(anew[1], 4);
}

TEST_F(QuantilesTest, a_cell_that_is_not_a_number_counts_as_nothing) {
    const std::vector<float> got = ranges({NAN, 2, -1, INFINITY}, 1, {4, 1}, {0}, {0, 0});
    EXPECT_EQ(got[0], -1);
    EXPECT_EQ(got[1], 2);
}

}  // namespace
}  // namespace saccade
