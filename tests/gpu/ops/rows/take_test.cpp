#include "gpu/ops/rows.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class TakeTest : public GpuTest {
protected:
    Tensor table(uint32_t rows, uint32_t columns, const std::vector<uint32_t>& values) {
        std::vector<uint32_t> wide(size_t(rows) * padded(columns));
        for (size_t i = 0; i < values.size(); ++i)
            wide[i / columns * padded(columns) + i % columns] = values[i];
        Tensor index = ids(wide);
        index.rows = rows;
        index.columns = columns;
        index.row_stride = padded(columns);
        return index;
    }
};

TEST_F(TakeTest, takes_columns_by_their_index) {
    const std::vector<float> x = random(11);
    const Tensor tx = tensor(1, 1, 11, Type::f32, x);
    const std::vector<uint32_t> from = {3, 0, 10, 3, 7, 99};  // the last is past the end
    const Tensor index = table(2, 3, from);
    const auto y = run([&](Commands& c) {
        const Tensor result = c.scratch(1, 2, 3, Type::f32);
        take(c, result, tx, index);
        take(c, result, tx, index, {.keep = 1.0f, .scale = 0.5f});
        return result;
    });
    std::vector<float> want;
    for (uint32_t i : from) want.push_back(i < x.size() ? 1.5f * x[i] : 0.0f);
    EXPECT_LT(relative_error(y, want), 1e-6);
}

TEST_F(TakeTest, refuses_an_index_of_another_shape) {
    begin();
    EXPECT_THROW(take(commands, poisoned(1, 2, 2, Type::f32), random_tensor(1, 1, 9, Type::f32),
                      table(2, 3, {0, 1, 2, 3, 4, 5})),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
