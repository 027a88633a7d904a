#include "gpu/ops/maps.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using AddEnlargedTest = GpuTest;

TEST_F(AddEnlargedTest, adds_the_nearest_of_the_smaller_picture) {
    const Size size{7, 5}, small{4, 3};
    for (Type type : {Type::f32, Type::f16}) {
        const std::vector<float> x = random(area(size) * 12, type);
        const std::vector<float> s = random(size_t(2) * area(small) * 12, type);
        const Tensor tx = tensor(1, area(size), 12, type, x);
        const Tensor ts = tensor(2, area(small), 12, type, s);
        const auto y = run([&](Commands& c) { return add_enlarged(c, tx, size, ts, small); });
        std::vector<float> want;
        for (size_t b = 0; b < 2; ++b)
            for (size_t row = 0; row < size.y; ++row)
                for (size_t column = 0; column < size.x; ++column)
                    for (size_t i = 0; i < 12; ++i) {
                        const size_t from = row * 3 / 5 * 4 + column * 4 / 7;
                        want.push_back(x[(row * size.x + column) * 12 + i] +
                                       s[(b * area(small) + from) * 12 + i]);
                    }
        EXPECT_LT(relative_error(y, want), tolerance(type));
    }
    begin();
    EXPECT_THROW(add_enlarged(commands, random_tensor(1, 35, 12, Type::f32), size,
                              random_tensor(1, 12, 8, Type::f32), small),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
