#include <cmath>

#include "tests/gpu_test.h"

namespace saccade {
namespace {

class SoftmaxTest : public GpuTest {
protected:
    static std::vector<float> reference(std::span<const float> x, size_t columns) {
        std::vector<float> y(x.size());
        for (size_t row = 0; row < x.size(); row += columns) {
            double largest = -INFINITY, total = 0;
            for (size_t j = 0; j < columns; ++j) largest = std::max(largest, double(x[row + j]));
            for (size_t j = 0; j < columns; ++j) total += std::exp(double(x[row + j]) - largest);
            for (size_t j = 0; j < columns; ++j)
                y[row + j] = static_cast<float>(std::exp(double(x[row + j]) - largest) / total);
        }
        return y;
    }
};

TEST_F(SoftmaxTest, matches_plain_loops_at_odd_sizes_in_both_storage_types) {
    struct Case {
        uint32_t batch, rows, columns;
    };
    for (const Case& c :
         {Case{1, 1, 1}, Case{1, 197, 10}, Case{2, 3, 333}, Case{1, 2, 7}, Case{1, 1, 1000}})
        for (Type type : {Type::f32, Type::f16}) {
            std::vector<float> x = random(size_t(c.batch) * c.rows * c.columns, type);
            for (float& value : x) value *= 8.0f;  // exact in both types
            const Tensor tx = tensor(c.batch, c.rows, c.columns, type, x);
            const auto y = run([&](Commands& r) { return softmax(r, tx); });
            EXPECT_LT(relative_error(y, reference(x, c.columns)), 1e-5) << tx.shape();
        }
}

TEST_F(SoftmaxTest, one_column_is_certain) {
    const Tensor x = tensor(1, 3, 1, Type::f32, std::vector<float>{-1e30f, 0.0f, 1e30f});
    EXPECT_EQ(run([&](Commands& r) { return softmax(r, x); }), (std::vector<float>{1, 1, 1}));
}

TEST_F(SoftmaxTest, large_values_neither_overflow_nor_vanish) {
    const std::vector<float> x = {1000.0f,  999.0f,   -1000.0f, 998.5f, 0.0f,       // far above
                                  -1000.0f, -1001.0f, -1000.5f, -2e6f,  -1000.25f,  // far below
                                  60000.0f, -6e4f,    6e4f,     1.0f,   59999.0f,
                                  -3e38f,   3e38f,    0.0f,     3e38f,  1.0f};
    const Tensor tx = tensor(1, 4, 5, Type::f32, x);
    const auto y = run([&](Commands& r) { return softmax(r, tx); });
    const auto want = reference(x, 5);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], want[i], 1e-5) << i;
}

TEST_F(SoftmaxTest, padding_weighs_nothing_where_all_values_are_below_it) {
    // Padding is zero: if it counted, exp(0 - -80) would leave the others no weight.
    const std::vector<float> x(9, -80.0f);
    for (Type type : {Type::f32, Type::f16}) {
        const Tensor tx = tensor(1, 1, 9, type, x);
        for (float value : run([&](Commands& r) { return softmax(r, tx); }))
            EXPECT_NEAR(value, 1.0f / 9, 1e-6);
    }
}

TEST_F(SoftmaxTest, reads_some_rows_of_every_batch) {
    const std::vector<float> x = random(2 * 4 * 10);
    const Tensor tx = tensor(2, 4, 10, Type::f32, x);
    const auto y = run([&](Commands& r) { return softmax(r, tx.slice_rows(3, 1)); });
    std::vector<float> rows(x.begin() + 30, x.begin() + 40);
    rows.insert(rows.end(), x.begin() + 70, x.end());
    EXPECT_LT(relative_error(y, reference(rows, 10)), 1e-5);
}

}  // namespace
}  // namespace saccade
