#include "gpu/ops/maps.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using AvgPoolTest = GpuTest;

TEST_F(AvgPoolTest, takes_the_mean_of_what_lies_in_the_picture) {
    for (const auto& [size, channels, batch] :
         {std::tuple{Size{6, 4}, 16u, 1u}, {Size{7, 5}, 20u, 2u}, {Size{1, 1}, 3u, 1u}})
        for (Type type : {Type::f32, Type::f16}) {
            const std::vector<float> x = random(size_t(batch) * area(size) * channels, type);
            const Tensor tx = tensor(batch, area(size), channels, type, x);
            const auto y = run([&](Commands& c) { return avg_pool(c, tx, size); });
            std::vector<float> want;
            const Size out = halved(size);
            for (uint32_t b = 0; b < batch; ++b)
                for (uint32_t oy = 0; oy < out.y; ++oy)
                    for (uint32_t ox = 0; ox < out.x; ++ox)
                        for (uint32_t channel = 0; channel < channels; ++channel) {
                            float sum = 0, count = 0;
                            for (uint32_t iy = 2 * oy; iy < std::min(2 * oy + 2, size.y); ++iy)
                                for (uint32_t ix = 2 * ox; ix < std::min(2 * ox + 2, size.x);
                                     ++ix) {
                                    sum += x[((size_t(b) * size.y + iy) * size.x + ix) * channels +
                                             channel];
                                    ++count;
                                }
                            want.push_back(sum / count);
                        }
            EXPECT_LT(relative_error(y, want), tolerance(type)) << name_of(type);
        }
}

TEST_F(AvgPoolTest, refuses_a_picture_of_another_size) {
    const Tensor x = random_tensor(1, 20, 8, Type::f32);
    begin();
    EXPECT_THROW(avg_pool(commands, x, {4, 4}), Error);
    finish();
}

}  // namespace
}  // namespace saccade
