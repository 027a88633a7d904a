#include <algorithm>

#include "gpu/ops.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using NormActivateTest = GpuTest;

TEST_F(NormActivateTest, is_the_activation_of_the_norm) {
    for (Type type : {Type::f32, Type::f16}) {
        const Tensor x = random_tensor(2, 7, 44, type);
        const Norm norm{random_tensor(1, 1, 44, Type::f32), random_tensor(1, 1, 44, Type::f32)};
        std::vector<float> want = run([&](Commands& c) { return layer_norm(c, x, norm, Type::f32); });
        for (float& v : want) v = std::max(v, 0.0f);
        const auto y = run([&](Commands& c) {
            const Tensor to = c.scratch(2, 7, 44, type);
            norm_activate_into(c, to, x, norm, Activation::relu);
            return to;
        });
        EXPECT_LT(relative_error(y, want), tolerance(type)) << name_of(type);
    }
}

TEST_F(NormActivateTest, refuses_another_shape) {
    const Tensor x = random_tensor(1, 7, 24, Type::f32);
    const Norm norm{random_tensor(1, 1, 24, Type::f32), random_tensor(1, 1, 24, Type::f32)};
    begin();
    EXPECT_THROW(norm_activate_into(commands, random_tensor(1, 6, 24, Type::f32), x, norm,
                                    Activation::silu),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
