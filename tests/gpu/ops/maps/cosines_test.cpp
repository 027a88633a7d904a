#include <cmath>

#include "gpu/ops/maps.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class CosinesTest : public GpuTest {
protected:
    std::vector<float> map(const std::vector<float>& x, uint32_t tokens, uint32_t columns,
                           uint32_t token, uint32_t first, Size grid) {
        const Tensor tx = tensor(1, tokens, columns, Type::f32, x);
        return run([&](Commands& c) {
            const Tensor y = c.scratch(1, grid.y, grid.x, Type::f32);
            cosines_into(c, y, tx, token, first);
            return y;
        });
    }
    static double cosine(const std::vector<float>& x, uint32_t columns, size_t a, size_t b) {
        double ab = 0, aa = 0, bb = 0;
        for (size_t j = 0; j < columns; ++j) {
            const auto u = double(x[a * columns + j]), v = double(x[b * columns + j]);
            ab += u * v;
            aa += u * u;
            bb += v * v;
        }
        return ab / std::sqrt(aa * bb);
    }
};

TEST_F(CosinesTest, matches_plain_loops) {
    const Size grid{7, 5};
    for (uint32_t first : {0u, 1u, 5u})
        for (uint32_t columns : {3u, 48u, 389u}) {
            const uint32_t tokens = first + 35 + 2;
            const std::vector<float> x = random(size_t(tokens) * columns);
            for (uint32_t token : {0u, first + 17, tokens - 1}) {
                std::vector<float> want;
                for (uint32_t cell = 0; cell < 35; ++cell)
                    want.push_back(static_cast<float>(cosine(x, columns, token, first + cell)));
                EXPECT_LT(relative_error(map(x, tokens, columns, token, first, grid), want), 1e-5)
                    << columns << " columns, token " << token << ", cells from " << first;
            }
        }
}

TEST_F(CosinesTest, neither_large_nor_missing_features_give_anything_but_a_number) {
    const uint32_t columns = 24;
    std::vector<float> x(3 * columns, 1e18f);
    std::fill_n(x.begin() + columns, columns, 0.0f);
    for (uint32_t j = 0; j < columns; ++j) x[2 * columns + j] = -1e-12f;
    const std::vector<float> y = map(x, 3, columns, 0, 0, {3, 1});
    EXPECT_NEAR(y[0], 1, 1e-5);
    EXPECT_EQ(y[1], 0) << "what is nothing is like nothing";
    EXPECT_NEAR(y[2], -1, 1e-5);
}

TEST_F(CosinesTest, refuses_tokens_that_are_not_there) {
    begin();
    const Tensor x = random_tensor(1, 10, 8, Type::f32);
    EXPECT_THROW(cosines_into(commands, poisoned(1, 3, 3, Type::f32), x, 10, 0), Error);
    EXPECT_THROW(cosines_into(commands, poisoned(1, 3, 3, Type::f32), x, 0, 2), Error);
    EXPECT_THROW(cosines_into(commands, poisoned(1, 3, 3, Type::f32),
                              random_tensor(1, 10, 8, Type::f16), 0, 0),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
