#include <algorithm>

#include "gpu/ops/products.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using DepthwiseTest = GpuTest;

TEST_F(DepthwiseTest, convolves_each_channel_by_itself) {
    struct Case {
        Size size;
        uint32_t channels, batch, kernel, stride;
    };
    for (const Case& c :
         {Case{{7, 5}, 20, 1, 3, 2}, Case{{6, 6}, 8, 2, 5, 1}, Case{{1, 1}, 3, 1, 3, 2}})
        for (Type type : {Type::f32, Type::f16}) {
            const std::vector<float> x = random(size_t(c.batch) * area(c.size) * c.channels, type);
            const std::vector<float> weight = random(size_t(c.kernel) * c.kernel * c.channels);
            const std::vector<float> bias = random(c.channels);
            const DepthwiseConv2d w{tensor(1, c.kernel * c.kernel, c.channels, Type::f32, weight),
                                    tensor(1, 1, c.channels, Type::f32, bias),
                                    c.kernel,
                                    c.stride,
                                    c.kernel / 2,
                                    1.5f,
                                    0.25f};
            const Size out = w.out_size(c.size);
            const Tensor tx = tensor(c.batch, area(c.size), c.channels, type, x);
            const auto y = run([&](Commands& r) {
                const Tensor ty = r.scratch(c.batch, area(out), c.channels, type);
                depthwise_into(r, ty, tx, c.size, w, Activation::relu);
                return ty;
            });
            std::vector<float> want;
            for (uint32_t b = 0; b < c.batch; ++b)
                for (uint32_t oy = 0; oy < out.y; ++oy)
                    for (uint32_t ox = 0; ox < out.x; ++ox)
                        for (uint32_t channel = 0; channel < c.channels; ++channel) {
                            float sum = bias[channel];
                            for (uint32_t tap = 0; tap < c.kernel * c.kernel; ++tap) {
                                const int iy = int(oy * c.stride + tap / c.kernel) - int(w.padding);
                                const int ix = int(ox * c.stride + tap % c.kernel) - int(w.padding);
                                if (iy < 0 || ix < 0 || iy >= int(c.size.y) || ix >= int(c.size.x))
                                    continue;
                                const size_t pixel =
                                    (size_t(b) * c.size.y + size_t(iy)) * c.size.x + size_t(ix);
                                sum += x[pixel * c.channels + channel] *
                                       weight[tap * c.channels + channel];
                            }
                            want.push_back(std::max(sum, 0.0f) * 1.5f + 0.25f);
                        }
            EXPECT_LT(relative_error(y, want), tolerance(type)) << name_of(type);
        }
}

TEST_F(DepthwiseTest, refuses_weights_of_other_channels) {
    const Tensor x = random_tensor(1, 16, 8, Type::f32);
    const DepthwiseConv2d w{random_tensor(1, 9, 16, Type::f32), random_tensor(1, 1, 16, Type::f32)};
    begin();
    EXPECT_THROW(depthwise_into(commands, x, x, {4, 4}, w), Error);
    finish();
}

}  // namespace
}  // namespace saccade
