#include <algorithm>
#include <cmath>

#include "gpu/ops/maps.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using EnlargeTest = GpuTest;

TEST_F(EnlargeTest, is_bilinear_between_the_middles_of_pixels) {
    const Size from{4, 3}, to{10, 7};
    for (Type type : {Type::f32, Type::f16}) {
        const std::vector<float> x = random(size_t(2) * area(from) * 12, type);
        const Tensor tx = tensor(2, area(from), 12, type, x);
        const auto y = run([&](Commands& c) { return enlarge(c, tx, from, to); });
        std::vector<float> want;
        for (size_t b = 0; b < 2; ++b)
            for (uint32_t row = 0; row < to.y; ++row)
                for (uint32_t column = 0; column < to.x; ++column)
                    for (size_t i = 0; i < 12; ++i) {
                        const float py = std::max((float(row) + 0.5f) * 3 / 7 - 0.5f, 0.0f);
                        const float px = std::max((float(column) + 0.5f) * 4 / 10 - 0.5f, 0.0f);
                        const auto y0 = uint32_t(py), x0 = uint32_t(px);
                        const uint32_t y1 = std::min(y0 + 1, 2u), x1 = std::min(x0 + 1, 3u);
                        auto at = [&](uint32_t r, uint32_t q) {
                            return x[((b * 3 + r) * 4 + q) * 12 + i];
                        };
                        const float ty = py - float(y0), tx_at = px - float(x0);
                        want.push_back((at(y0, x0) * (1 - tx_at) + at(y0, x1) * tx_at) * (1 - ty) +
                                       (at(y1, x0) * (1 - tx_at) + at(y1, x1) * tx_at) * ty);
                    }
        EXPECT_LT(relative_error(y, want), tolerance(type));
    }
}

}  // namespace
}  // namespace saccade
