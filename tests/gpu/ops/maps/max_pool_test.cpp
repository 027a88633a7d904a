#include <algorithm>

#include "gpu/ops/maps.h"

#include "tests/gpu_test.h"

namespace saccade {
namespace {

using MaxPoolTest = GpuTest;

std::vector<float> reference(std::span<const float> x, uint32_t batch, Size size, uint32_t channels,
                             const Pool& pool) {
    const Size out = pool.out_size(size);
    std::vector<float> y;
    for (uint32_t b = 0; b < batch; ++b)
        for (uint32_t oy = 0; oy < out.y; ++oy)
            for (uint32_t ox = 0; ox < out.x; ++ox)
                for (uint32_t c = 0; c < channels; ++c) {
                    float largest = -1e30f;
                    for (uint32_t ky = 0; ky < pool.kernel; ++ky)
                        for (uint32_t kx = 0; kx < pool.kernel; ++kx) {
                            const int iy = int(oy * pool.stride + ky) - int(pool.padding);
                            const int ix = int(ox * pool.stride + kx) - int(pool.padding);
                            if (iy < 0 || ix < 0 || iy >= int(size.y) || ix >= int(size.x))
                                continue;
                            largest = std::max(
                                largest,
                                x[((size_t(b) * size.y + size_t(iy)) * size.x + size_t(ix)) *
                                      channels +
                                  c]);
                        }
                    y.push_back(largest);
                }
    return y;
}

TEST_F(MaxPoolTest, takes_exactly_the_largest_of_each_window) {
    struct Case {
        Size size;
        uint32_t channels, batch;
        Pool pool;
    };
    for (const Case& c : {Case{{12, 9}, 20, 1, {3, 2, 1}}, Case{{5, 5}, 3, 2, {3, 2, 1}},
                          Case{{7, 4}, 8, 1, {2, 2, 0}}, Case{{1, 1}, 5, 1, {3, 2, 1}}})
        for (Type type : {Type::f32, Type::f16}) {
            // All below zero: padding must not count as a zero.
            std::vector<float> x = random(size_t(c.batch) * area(c.size) * c.channels, type);
            for (float& v : x) v = -std::abs(v);
            const Tensor tx = tensor(c.batch, area(c.size), c.channels, type, x);
            const auto y = run([&](Commands& r) { return max_pool(r, tx, c.size, c.pool); });
            EXPECT_EQ(y, reference(x, c.batch, c.size, c.channels, c.pool)) << name_of(type);
        }
}

TEST_F(MaxPoolTest, refuses_a_picture_of_another_size) {
    const Tensor x = random_tensor(1, 20, 8, Type::f32);
    begin();
    EXPECT_THROW(max_pool(commands, x, {4, 4}, {}), Error);
    finish();
}

}  // namespace
}  // namespace saccade
