#include <cmath>

#include "gpu/ops/norms.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class RmsNormTest : public GpuTest {};

std::vector<float> reference(const std::vector<float>& x, const std::vector<float>& weight,
                             float eps) {
    std::vector<float> y(x.size());
    const size_t columns = weight.size();
    for (size_t row = 0; row < x.size(); row += columns) {
        double squares = 0;
        for (size_t j = row; j < row + columns; ++j) squares += double(x[j]) * double(x[j]);
        const double scale = 1 / std::sqrt(squares / double(columns) + double(eps));
        for (size_t j = 0; j < columns; ++j)
            y[row + j] = static_cast<float>(double(x[row + j]) * scale * double(weight[j]));
    }
    return y;
}

TEST_F(RmsNormTest, divides_by_the_root_of_the_mean_square) {
    for (Type out : {Type::f32, Type::f16})
        for (uint32_t columns : {1u, 7u, 48u, 577u}) {
            const std::vector<float> x = random(2 * 3 * columns), weight = random(columns);
            const Tensor tx = tensor(2, 3, columns, Type::f32, x);
            const RmsNorm w{tensor(1, 1, columns, Type::f32, weight), 1e-3f};
            const auto y = run([&](Commands& c) { return rms_norm(c, tx, w, out); });
            EXPECT_LT(relative_error(y, reference(x, weight, 1e-3f)), tolerance(out))
                << columns << " columns";
        }
}

TEST_F(RmsNormTest, refuses_a_weight_that_does_not_fit) {
    begin();
    EXPECT_THROW(rms_norm(commands, random_tensor(1, 4, 8, Type::f32),
                          {random_tensor(1, 1, 16, Type::f32)}, Type::f32),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
