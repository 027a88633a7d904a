#include <cmath>
#include <numbers>

#include "gpu/sampling.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using BoxSinesTest = GpuTest;

TEST_F(BoxSinesTest, are_sines_and_cosines_of_longer_and_longer_period) {
    const std::vector<float> boxes = random(2 * 3 * 4);
    const Tensor tb = tensor(2, 3, 4, Type::f32, boxes);
    constexpr uint32_t count = 12;
    std::vector<float> want;
    for (size_t row = 0; row < 6; ++row)
        for (size_t number : {1, 0, 2, 3})  // y comes first
            for (uint32_t j = 0; j < count; ++j) {
                const double angle = double(boxes[row * 4 + number]) * 2 * std::numbers::pi /
                                     std::pow(10000.0, 2.0 * (j / 2) / count);
                want.push_back(static_cast<float>(j % 2 ? std::cos(angle) : std::sin(angle)));
            }
    for (Type type : {Type::f32, Type::f16})
        EXPECT_LT(relative_error(run([&](Commands& c) {
                                     const Tensor y = c.scratch(2, 3, 4 * count, type);
                                     box_sines_into(c, y, tb);
                                     return y;
                                 }),
                                 want),
                  tolerance(type));
    begin();
    EXPECT_THROW(box_sines_into(commands, random_tensor(2, 3, 8, Type::f32), tb), Error);
    finish();
}

}  // namespace
}  // namespace saccade
