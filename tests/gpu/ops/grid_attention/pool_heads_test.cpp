#include <cmath>

#include "gpu/ops/grid_attention.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using PoolHeadsTest = GpuTest;

TEST_F(PoolHeadsTest, matches_plain_loops_at_odd_sizes) {
    struct Case {
        Size map;
        uint32_t first, heads, size, kernel, stride;
    };
    for (Type type : {Type::f32, Type::f16})
        for (const Case& k : {Case{{5, 4}, 0, 2, 8, 3, 1}, Case{{7, 9}, 1, 3, 20, 3, 2},
                              Case{{8, 8}, 0, 1, 96, 3, 4}, Case{{3, 3}, 1, 2, 12, 1, 2}}) {
            const uint32_t wide = padded(k.size), columns = k.heads * wide, batch = 2;
            const uint32_t rows = k.first + area(k.map);
            std::vector<float> x = random(size_t(batch) * rows * columns, type);
            for (size_t i = 0; i < x.size(); ++i)
                if (i % wide >= k.size) x[i] = 0;  // as heads are padded
            const std::vector<float> w = random(size_t(k.kernel) * k.kernel * k.size);
            const std::vector<float> gain = random(k.size), bias = random(k.size);
            const HeadPool pool{.weight = tensor(1, k.kernel * k.kernel, k.size, Type::f32, w),
                                .norm = {tensor(1, 1, k.size, Type::f32, gain),
                                         tensor(1, 1, k.size, Type::f32, bias), 1e-5f},
                                .kernel = k.kernel,
                                .stride = k.stride};
            const Size out = pool.out_size(k.map);
            const uint32_t out_rows = k.first + area(out);
            const int padding = int(k.kernel / 2);
            std::vector<float> want(size_t(batch) * out_rows * columns);
            auto pooled = [&](uint32_t b, uint32_t row, size_t column) {
                auto at = [&](uint32_t r) {
                    return double(x[(size_t(b) * rows + r) * columns + column]);
                };
                if (row < k.first) return at(row);
                const uint32_t cell = row - k.first;
                double sum = 0;
                for (int i = 0; i < int(k.kernel * k.kernel); ++i) {
                    const int cx = int(cell % out.x * k.stride) + i % int(k.kernel) - padding;
                    const int cy = int(cell / out.x * k.stride) + i / int(k.kernel) - padding;
                    if (cx < 0 || cy < 0 || cx >= int(k.map.x) || cy >= int(k.map.y)) continue;
                    sum += double(w[size_t(i) * k.size + column % wide]) *
                           at(k.first + uint32_t(cy) * k.map.x + uint32_t(cx));
                }
                return sum;
            };
            for (uint32_t b = 0; b < batch; ++b)
                for (uint32_t row = 0; row < out_rows; ++row)
                    for (uint32_t head = 0; head < k.heads; ++head) {
                        double mean = 0, variance = 0;
                        std::vector<double> v(k.size);
                        for (size_t d = 0; d < k.size; ++d) {
                            v[d] = pooled(b, row, head * wide + d);
                            mean += v[d] / k.size;
                        }
                        for (double one : v) variance += (one - mean) * (one - mean) / k.size;
                        for (size_t d = 0; d < k.size; ++d)
                            want[(size_t(b) * out_rows + row) * columns + head * wide + d] =
                                static_cast<float>((v[d] - mean) / std::sqrt(variance + 1e-5) *
                                                       double(gain[d]) +
                                                   double(bias[d]));
                    }
            const Tensor from = tensor(batch, rows, columns, type, x);
            const auto got = run(
                [&](Commands& c) { return pool_heads(c, from, k.map, k.first, k.heads, pool); });
            EXPECT_LT(relative_error(got, want), tolerance(type)) << "heads of " << k.size;
        }
}

TEST_F(PoolHeadsTest, refuses_shapes_that_do_not_fit) {
    const HeadPool pool{
        .weight = random_tensor(1, 9, 8, Type::f32),
        .norm = {random_tensor(1, 1, 8, Type::f32), random_tensor(1, 1, 8, Type::f32)}};
    begin();
    EXPECT_THROW(pool_heads(commands, random_tensor(1, 12, 16, Type::f32), {4, 4}, 0, 2, pool),
                 Error);
    EXPECT_THROW(pool_heads(commands, random_tensor(1, 16, 24, Type::f32), {4, 4}, 0, 2, pool),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
