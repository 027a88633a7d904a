#include <algorithm>

#include "gpu/ops/elementwise.h"
#include "gpu/ops/maps.h"
#include "gpu/ops/pictures.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class FitRangeTest : public GpuTest {
protected:
    // Into a copy, whose padding must stay as it is.
    template <typename Fit>
    std::vector<float> fitted(const std::vector<float>& cells, uint32_t maps, Size grid, Fit fit) {
        const Tensor from = tensor(maps, grid.y, grid.x, Type::f32, cells);
        return run([&](Commands& c) {
            const Tensor to = c.scratch(maps, grid.y, grid.x, Type::f32);
            copy(c, to, from);
            fit(c, to);
            return to;
        });
    }
};

TEST_F(FitRangeTest, stretches_each_map_from_its_own_range) {
    const Size grid{11, 3};
    const std::vector<float> cells = random(2 * 33);
    const Tensor ranges = tensor(1, 2, 2, Type::f32, std::vector<float>{-0.5f, 0.25f, 0.1f, 0.1f});
    const auto got = fitted(
        cells, 2, grid, [&](Commands& c, const Tensor& to) { stretch_to_range(c, to, ranges); });
    for (size_t i = 0; i < 33; ++i) {
        EXPECT_NEAR(got[i], std::clamp((cells[i] + 0.5f) / 0.75f, 0.0f, 1.0f), 1e-6) << i;
        EXPECT_EQ(got[33 + i], cells[33 + i] > 0.1f ? 1 : 0) << "a range without width, " << i;
    }
}

TEST_F(FitRangeTest, limits_what_is_far_above_and_nothing_else) {
    const std::vector<float> cells{0.1f, 0.2f, 5, -3, 0.79f, 0.81f};
    const Tensor ranges = tensor(1, 1, 2, Type::f32, std::vector<float>{0, 0.2f});
    const auto got = fitted(
        cells, 1, {3, 2}, [&](Commands& c, const Tensor& to) { limit_to_range(c, to, ranges, 4); });
    EXPECT_EQ(got, (std::vector<float>{0.1f, 0.2f, 0.8f, -3, 0.79f, 0.8f}));
    const Tensor none = tensor(1, 1, 2, Type::f32, std::vector<float>{0, 0});
    EXPECT_EQ(fitted(cells, 1, {3, 2},
                     [&](Commands& c, const Tensor& to) { limit_to_range(c, to, none, 4); }),
              cells)
        << "nearly all cells are nothing: none of the others is too large";
}

TEST_F(FitRangeTest, refuses_ranges_of_other_maps) {
    begin();
    EXPECT_THROW(stretch_to_range(commands, random_tensor(3, 2, 2, Type::f32),
                                  random_tensor(1, 2, 2, Type::f32)),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
