#include "gpu/ops/elementwise.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using GateTest = GpuTest;

TEST_F(GateTest, matches_plain_loops_at_odd_sizes) {
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
            const auto got = run([&](Commands& c) { return gate(c, from, columns, Activation::silu); });
            EXPECT_LT(relative_error(got, want), tolerance(type)) << columns << " columns";
        }
}

TEST_F(GateTest, refuses_what_is_not_two_halves) {
    const Tensor x = random_tensor(1, 3, 24, Type::f32);
    begin();
    EXPECT_THROW(gate(commands, x, 17, Activation::silu), Error);
    EXPECT_THROW(gate(commands, x, 0, Activation::silu), Error);
    finish();
}

}  // namespace
}  // namespace saccade
