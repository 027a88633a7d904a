#include <algorithm>

#include "gpu/ops/norms.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using NormActivateTest = GpuTest;

TEST_F(NormActivateTest, is_the_activation_of_the_norm) {
    for (Type type : {Type::f32, Type::f16}) {
        const Tensor x = random_tensor(2, 7, 44, type);
        const Norm norm{random_tensor(1, 1, 44, Type::f32), random_tensor(1, 1, 44, Type::f32)};
        std::vector<float> want =
            run([&](Commands& c) { return layer_norm(c, x, norm, Type::f32); });
        for (float& v : want) v = std::max(v, 0.0f);
        const auto y = run([&](Commands& c) {
            const Tensor to = c.scratch(2, 7, 44, type);
            norm_activate_into(c, to, x, norm, Activation::relu);
            return to;
        });
        EXPECT_LT(relative_error(y, want), tolerance(type)) << name_of(type);
    }
}

TEST_F(NormActivateTest, goes_on_to_the_next_norm) {
    for (uint32_t columns : {44u, 256u, 1000u})
        for (Type type : {Type::f32, Type::f16}) {
            const Tensor x = random_tensor(2, 7, columns, type);
            const auto norm = [&](float eps) {
                return Norm{random_tensor(1, 1, columns, Type::f32),
                            random_tensor(1, 1, columns, Type::f32), eps};
            };
            const Norm first = norm(1e-6f), next = norm(1e-3f);
            const std::vector<float> want = run([&](Commands& c) {
                const Tensor once = c.scratch(2, 7, columns, type);
                norm_activate_into(c, once, x, first, Activation::silu);
                return layer_norm(c, once, next, Type::f32);
            });
            const std::vector<float> y = run([&](Commands& c) {
                const Tensor to = c.scratch(2, 7, columns, type);
                norm_activate_into(c, to, x, first, Activation::silu, &next);
                return to;
            });
            EXPECT_LT(relative_error(y, want), 2 * tolerance(type))
                << columns << ", " << name_of(type);
        }
}

TEST_F(NormActivateTest, refuses_another_shape) {
    const Tensor x = random_tensor(1, 7, 24, Type::f32);
    const Norm norm{random_tensor(1, 1, 24, Type::f32), random_tensor(1, 1, 24, Type::f32)};
    begin();
    EXPECT_THROW(
        norm_activate_into(commands, random_tensor(1, 6, 24, Type::f32), x, norm, Activation::silu),
        Error);
    finish();
}

}  // namespace
}  // namespace saccade
