#include "gpu/ops/elementwise.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using AddColumnTest = GpuTest;

TEST_F(AddColumnTest, adds_a_number_to_every_element_of_a_row) {
    const std::vector<float> x = random(2 * 5 * 13), column = random(2 * 5);
    const Tensor tx = tensor(2, 5, 13, Type::f32, x), tc = tensor(2, 5, 1, Type::f32, column);
    const auto y = run([&](Commands& c) {
        add_column(c, tx, tc);
        return tx;
    });
    for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], x[i] + column[i / 13]);
    begin();
    EXPECT_THROW(add_column(commands, tx, random_tensor(2, 4, 1, Type::f32)), Error);
    finish();
}

}  // namespace
}  // namespace saccade
