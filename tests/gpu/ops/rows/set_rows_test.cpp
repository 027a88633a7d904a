#include "gpu/ops/rows.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using SetRowsTest = GpuTest;

TEST_F(SetRowsTest, writes_those_rows_of_every_batch_and_no_others) {
    for (Type type : {Type::f32, Type::f16}) {
        const std::vector<float> x = random(2 * 6 * 20, type), value = random(20, Type::f16);
        const std::vector<uint32_t> rows = {1, 5};
        const Tensor tx = tensor(2, 6, 20, type, x), list = ids(rows);
        const Tensor to = tensor(1, 1, 20, Type::f32, value);
        const auto y = run([&](Commands& c) {
            set_rows(c, tx, list, to);
            return tx;
        });
        for (size_t i = 0; i < y.size(); ++i) {
            const size_t row = i / 20 % 6;
            EXPECT_EQ(y[i], row == 1 || row == 5 ? value[i % 20] : x[i]) << i;
        }
    }
}

TEST_F(SetRowsTest, refuses_a_value_of_another_length) {
    const std::vector<uint32_t> rows = {1};
    begin();
    EXPECT_THROW(set_rows(commands, random_tensor(1, 6, 20, Type::f32), ids(rows),
                          random_tensor(1, 1, 16, Type::f32)),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
