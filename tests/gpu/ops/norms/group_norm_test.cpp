#include <algorithm>
#include <cmath>

#include "gpu/ops/norms.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using GroupNormTest = GpuTest;

TEST_F(GroupNormTest, normalises_the_channels_of_a_group_over_all_rows) {
    struct Case {
        uint32_t batch, rows, channels, groups;
    };
    for (const Case& c : {Case{2, 35, 24, 8}, Case{1, 9, 33, 3}, Case{3, 5, 4, 4}})
        for (Type type : {Type::f32, Type::f16}) {
            std::vector<float> x = random(size_t(c.batch) * c.rows * c.channels, type);
            const std::vector<float> weight = random(c.channels), bias = random(c.channels);
            std::vector<float> want(x.size());
            const uint32_t each = c.channels / c.groups;
            for (uint32_t b = 0; b < c.batch; ++b)
                for (uint32_t g = 0; g < c.groups; ++g) {
                    double mean = 0, variance = 0;
                    const double count = double(c.rows) * each;
                    auto for_all = [&](auto visit) {
                        for (uint32_t row = 0; row < c.rows; ++row)
                            for (uint32_t i = g * each; i < (g + 1) * each; ++i)
                                visit((size_t(b) * c.rows + row) * c.channels + i, i);
                    };
                    for_all([&](size_t at, uint32_t) { mean += double(x[at]) / count; });
                    for_all([&](size_t at, uint32_t) {
                        variance += (double(x[at]) - mean) * (double(x[at]) - mean) / count;
                    });
                    for_all([&](size_t at, uint32_t i) {
                        const double v = (double(x[at]) - mean) / std::sqrt(variance + 1e-5) *
                                             double(weight[i]) +
                                         double(bias[i]);
                        want[at] = static_cast<float>(std::max(v, 0.0));
                    });
                }
            const Tensor tx = tensor(c.batch, c.rows, c.channels, type, x);
            const Norm norm{tensor(1, 1, c.channels, Type::f32, weight),
                            tensor(1, 1, c.channels, Type::f32, bias), 1e-5f};
            const auto y = run(
                [&](Commands& r) { return group_norm(r, tx, norm, c.groups, Activation::relu); });
            EXPECT_LT(relative_error(y, want), tolerance(type)) << c.channels;
        }
}

TEST_F(GroupNormTest, refuses_groups_that_do_not_share_the_channels) {
    const Tensor x = random_tensor(1, 4, 10, Type::f32);
    const Norm norm{random_tensor(1, 1, 10, Type::f32), random_tensor(1, 1, 10, Type::f32)};
    begin();
    EXPECT_THROW(group_norm(commands, x, norm, 4, Activation::relu), Error);
    finish();
}

}  // namespace
}  // namespace saccade
