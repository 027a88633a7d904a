#include <cmath>

#include "gpu/ops/boxes.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class GaugeTest : public GpuTest {};

TEST_F(GaugeTest, shifts_and_scales_each_row) {
    constexpr uint32_t batch = 2, rows = 5, columns = 6;
    const std::vector<float> x = random(batch * rows * columns), how = random(batch * rows * 2);
    const Tensor y = tensor(batch, rows, columns, Type::f32, x);
    const Tensor gauge = tensor(batch, rows, 2, Type::f32, how);
    const auto got = run([&](Commands& c) {
        gauge_in_place(c, y, gauge);
        return y;
    });
    std::vector<float> want;
    for (size_t i = 0; i < x.size(); ++i) {
        const double shift = double(how[i / columns * 2]), scale = double(how[i / columns * 2 + 1]);
        const double elu = scale > 0 ? scale : std::exp(scale) - 1;
        want.push_back(static_cast<float>((double(x[i]) + shift) * (elu + 1)));
    }
    EXPECT_LT(relative_error(got, want), 1e-5);
}

TEST_F(GaugeTest, refuses_another_shape) {
    begin();
    EXPECT_THROW(gauge_in_place(commands, random_tensor(1, 4, 8, Type::f32),
                                random_tensor(1, 4, 3, Type::f32)),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
