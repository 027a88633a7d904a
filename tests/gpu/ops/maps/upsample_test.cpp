#include "gpu/ops/maps.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using UpsampleTest = GpuTest;

TEST_F(UpsampleTest, repeats_every_pixel_and_leaves_other_columns_alone) {
    const Size size{5, 3};
    for (uint32_t factor : {1u, 2u, 3u})
        for (Type type : {Type::f32, Type::f16}) {
            const std::vector<float> x = random(size_t(2) * area(size) * 8, type);
            const Tensor tx = tensor(2, area(size), 8, type, x);
            const uint32_t pixels = area(size) * factor * factor;
            const Tensor ty =
                tensor(2, pixels, 24, type, std::vector<float>(size_t(2) * pixels * 24, 3.0f));
            const auto y = run([&](Commands& c) {
                upsample_into(c, ty.slice_columns(8, 8), tx, size, factor);
                return ty;
            });
            const uint32_t width = size.x * factor;
            for (size_t i = 0; i < y.size(); ++i) {
                const size_t column = i % 24, pixel = i / 24 % pixels, batch = i / 24 / pixels;
                const size_t from = pixel / width / factor * size.x + pixel % width / factor;
                const bool written = column >= 8 && column < 16;
                ASSERT_EQ(y[i], written ? x[(batch * area(size) + from) * 8 + column - 8] : 3.0f);
            }
        }
}

TEST_F(UpsampleTest, refuses_shapes_that_do_not_fit) {
    const Tensor x = random_tensor(1, 6, 8, Type::f32), y = random_tensor(1, 24, 8, Type::f32);
    begin();
    EXPECT_THROW(upsample_into(commands, y, x, {2, 2}, 2), Error);
    EXPECT_THROW(upsample_into(commands, y, x, {2, 3}, 3), Error);
    finish();
}

}  // namespace
}  // namespace saccade
