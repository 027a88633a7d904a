#include <cmath>

#include "gpu/ops/norms.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class UnitRowsTest : public GpuTest {};

std::vector<float> reference(const std::vector<float>& x, uint32_t columns, float eps,
                             float scale) {
    std::vector<float> y(x.size());
    for (size_t row = 0; row < x.size(); row += columns) {
        double squares = 0;
        for (size_t j = row; j < row + columns; ++j) squares += double(x[j]) * double(x[j]);
        for (size_t j = row; j < row + columns; ++j)
            y[j] = static_cast<float>(scale * double(x[j]) / (std::sqrt(squares) + double(eps)));
    }
    return y;
}

TEST_F(UnitRowsTest, rows_have_length_one) {
    for (const auto& [in, out] : {std::pair{Type::f32, Type::f32},
                                  {Type::f16, Type::f16},
                                  {Type::f32, Type::f16},
                                  {Type::f16, Type::f32}})
        for (uint32_t columns : {1u, 7u, 48u, 515u}) {
            const std::vector<float> x = random(2 * 5 * columns, in);
            const Tensor tx = tensor(2, 5, columns, in, x);
            const auto y = run([&](Commands& c) { return unit_rows(c, tx, 0.0f, out); });
            EXPECT_LT(relative_error(y, reference(x, columns, 0.0f, 1.0f)), tolerance(out))
                << columns << " columns";
        }
}

TEST_F(UnitRowsTest, takes_a_scale_and_an_epsilon) {
    const std::vector<float> x = random(3 * 20);
    const Tensor tx = tensor(1, 3, 20, Type::f32, x);
    const auto y = run([&](Commands& c) { return unit_rows(c, tx, 0.5f, Type::f32, 100.0f); });
    EXPECT_LT(relative_error(y, reference(x, 20, 0.5f, 100.0f)), 1e-5);
}

TEST_F(UnitRowsTest, refuses_another_shape) {
    begin();
    EXPECT_THROW(unit_rows_into(commands, poisoned(1, 3, 8, Type::f32),
                                random_tensor(1, 4, 8, Type::f32), 0.0f),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
