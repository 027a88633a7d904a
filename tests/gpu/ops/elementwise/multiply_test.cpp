#include <cmath>

#include "gpu/ops/elementwise.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class MultiplyTest : public GpuTest {};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST_F(MultiplyTest, multiplies_by_what_was_activated) {
    for (Type type : {Type::f32, Type::f16})
        for (uint32_t columns : {1u, 7u, 48u, 130u}) {
            const size_t count = size_t(2) * 3 * columns;
            const std::vector<float> a = random(count, type), b = random(count, type);
            const Tensor ta = tensor(2, 3, columns, type, a), tb = tensor(2, 3, columns, type, b);
            std::vector<float> want(count);
            for (size_t i = 0; i < count; ++i)
                want[i] = static_cast<float>(double(a[i]) * sigmoid(double(a[i])) * double(b[i]));
            const auto y =
                run([&](Commands& c) { return multiply(c, ta, tb, type, Activation::silu); });
            EXPECT_LT(relative_error(y, want), tolerance(type)) << columns << " columns";
        }
}

TEST_F(MultiplyTest, one_row_meets_all_of_its_batch) {
    constexpr uint32_t rows = 5, columns = 12;
    const std::vector<float> a = random(2 * rows * columns), b = random(2 * columns);
    const Tensor ta = tensor(2, rows, columns, Type::f32, a);
    const Tensor tb = tensor(2, 1, columns, Type::f32, b);
    std::vector<float> want(a.size());
    for (size_t i = 0; i < a.size(); ++i)
        want[i] = a[i] * b[i / (rows * columns) * columns + i % columns];
    EXPECT_LT(
        relative_error(run([&](Commands& c) { return multiply(c, ta, tb, Type::f32); }), want),
        1e-6);
}

TEST_F(MultiplyTest, activates_alone) {
    const std::vector<float> a = random(30);
    const Tensor ta = tensor(1, 3, 10, Type::f32, a);
    std::vector<float> want;
    for (float x : a) want.push_back(static_cast<float>(sigmoid(double(x))));
    EXPECT_LT(relative_error(run([&](Commands& c) {
                                 return multiply(c, ta, {}, Type::f32, Activation::sigmoid);
                             }),
                             want),
              1e-5);
}

TEST_F(MultiplyTest, refuses_another_shape) {
    begin();
    EXPECT_THROW(multiply(commands, random_tensor(1, 4, 8, Type::f32),
                          random_tensor(1, 3, 8, Type::f32), Type::f32),
                 Error);
    finish();
}

TEST_F(MultiplyTest, glu_multiplies_the_halves_of_rows_of_odd_sizes) {
    for (Type type : {Type::f32, Type::f16})
        for (const uint32_t columns : {1u, 8u, 43u, 300u}) {
            const uint32_t half = padded(columns), rows = 5, batch = 2;
            const std::vector<float> x = random(size_t(batch) * rows * 2 * half, type);
            std::vector<float> want;
            for (size_t row = 0; row < batch * rows; ++row)
                for (size_t j = 0; j < columns; ++j) {
                    const double first = double(x[row * 2 * half + j]);
                    const double second = double(x[row * 2 * half + half + j]);
                    want.push_back(static_cast<float>(first / (1 + std::exp(-first)) * second));
                }
            const Tensor from = tensor(batch, rows, 2 * half, type, x);
            const auto got =
                run([&](Commands& c) { return glu(c, from, columns, Activation::silu); });
            EXPECT_LT(relative_error(got, want), tolerance(type)) << columns << " columns";
        }
}

TEST_F(MultiplyTest, glu_refuses_what_is_not_two_halves) {
    const Tensor x = random_tensor(1, 3, 24, Type::f32);
    begin();
    EXPECT_THROW(glu(commands, x, 17, Activation::silu), Error);
    EXPECT_THROW(glu(commands, x, 0, Activation::silu), Error);
    finish();
}

}  // namespace
}  // namespace saccade
