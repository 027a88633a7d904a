#include <cmath>

#include "gpu/ops/norms.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using NormAddTest = GpuTest;

TEST_F(NormAddTest, adds_the_norm_and_says_it_again_for_products) {
    for (Type type : {Type::f32, Type::f16})
        for (const uint32_t columns : {5u, 32u, 301u}) {
            const uint32_t rows = 6, batch = 2;
            const size_t count = size_t(batch) * rows * columns;
            const std::vector<float> x = random(count), z = random(count);
            const std::vector<float> weight = random(columns), bias = random(columns);
            const Norm norm{tensor(1, 1, columns, Type::f32, weight),
                            tensor(1, 1, columns, Type::f32, bias), 1e-5f};
            std::vector<float> want(count);
            for (size_t row = 0; row < batch * rows; ++row) {
                double mean = 0, variance = 0;
                for (size_t j = 0; j < columns; ++j) mean += double(x[row * columns + j]) / columns;
                for (size_t j = 0; j < columns; ++j)
                    variance += std::pow(double(x[row * columns + j]) - mean, 2) / columns;
                for (size_t j = 0; j < columns; ++j) {
                    const size_t at = row * columns + j;
                    want[at] = static_cast<float>(
                        double(z[at]) +
                        (double(x[at]) - mean) / std::sqrt(variance + 1e-5) * double(weight[j]) +
                        double(bias[j]));
                }
            }
            const Tensor from = tensor(batch, rows, columns, Type::f32, x);
            const Tensor to = tensor(batch, rows, columns, Type::f32, z);
            const auto next = run([&](Commands& c) {
                const Tensor y = c.scratch(batch, rows, columns, type);
                norm_add(c, to, from, norm, y);
                return y;
            });
            EXPECT_LT(relative_error(next, want), tolerance(type)) << columns << " columns";
            EXPECT_LT(relative_error(values(to), want), 1e-5);
        }
}

TEST_F(NormAddTest, refuses_shapes_that_do_not_fit) {
    const Norm norm{random_tensor(1, 1, 16, Type::f32), random_tensor(1, 1, 16, Type::f32)};
    const Tensor x = random_tensor(1, 3, 16, Type::f32);
    begin();
    EXPECT_THROW(norm_add(commands, random_tensor(1, 4, 16, Type::f32), x, norm, {}), Error);
    EXPECT_THROW(norm_add(commands, random_tensor(1, 3, 16, Type::f16), x, norm, {}), Error);
    finish();
}

}  // namespace
}  // namespace saccade
