#include "gpu/ops/elementwise.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using GatedAddTest = GpuTest;

TEST_F(GatedAddTest, weighs_two_rows_column_by_column) {
    for (Type type : {Type::f32, Type::f16}) {
        const std::vector<float> x = random(3 * 16), other = random(3 * 16, type);
        const std::vector<float> gates = random(3 * 32);
        const Tensor tx = tensor(1, 3, 16, Type::f32, x), to = tensor(1, 3, 16, type, other);
        const Tensor tg = tensor(1, 3, 32, Type::f32, gates);
        const auto y = run([&](Commands& c) {
            gated_add(c, tx, to, tg);
            return tx;
        });
        std::vector<float> want;
        for (size_t i = 0; i < x.size(); ++i) {
            const float* gate = &gates[i / 16 * 32 + i % 16];
            want.push_back(gate[0] * x[i] + gate[16] * other[i]);
        }
        EXPECT_LT(relative_error(y, want), 1e-6);
    }
    begin();
    EXPECT_THROW(gated_add(commands, random_tensor(1, 3, 16, Type::f32),
                           random_tensor(1, 3, 16, Type::f32), random_tensor(1, 3, 16, Type::f32)),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
