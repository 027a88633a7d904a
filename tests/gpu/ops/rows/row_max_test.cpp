#include <algorithm>
#include <limits>

#include "gpu/ops/rows.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using RowMaxTest = GpuTest;

TEST_F(RowMaxTest, finds_the_largest_of_each_row) {
    for (const auto& [batch, rows, columns] :
         {std::tuple{1u, 1u, 1u}, {2u, 37u, 80u}, {1u, 9u, 13u}}) {
        std::vector<float> x = random(size_t(batch) * rows * columns);
        for (float& v : x) v -= 2;  // all below zero: padding must not count
        const Tensor tx = tensor(batch, rows, columns, Type::f32, x);
        const auto y = run([&](Commands& c) { return row_max(c, tx); });
        for (size_t i = 0; i < y.size(); ++i)
            EXPECT_EQ(y[i], *std::max_element(x.begin() + std::ptrdiff_t(i * columns),
                                              x.begin() + std::ptrdiff_t((i + 1) * columns)));
    }
}

TEST_F(RowMaxTest, a_nan_is_never_the_largest) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Tensor x = tensor(1, 2, 3, Type::f32, std::vector<float>{1, nan, 2, nan, nan, nan});
    const auto y = run([&](Commands& c) { return row_max(c, x); });
    EXPECT_EQ(y, (std::vector<float>{2, -std::numeric_limits<float>::max()}));
}

}  // namespace
}  // namespace saccade
