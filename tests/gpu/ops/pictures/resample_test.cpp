#include <bit>
#include <functional>
#include <cmath>

#include "gpu/ops/pictures.h"
#include "models/picture/resample.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

class ResampleTest : public ImageTest {
protected:
    ResizeTaps upload(const Taps& taps) {
        std::vector<uint32_t> windows, weights;
        for (uint32_t i = 0; i < taps.out_size; ++i) {
            windows.push_back(taps.first[i]);
            windows.push_back(taps.count[i]);
        }
        for (int32_t weight : taps.weights) weights.push_back(std::bit_cast<uint32_t>(weight));
        return {ids(windows), ids(weights), taps.out_size, taps.max_taps};
    }
    static double weight(const Taps& taps, uint32_t out, uint32_t tap) {
        return double(std::bit_cast<float>(taps.weights[size_t(out) * taps.max_taps + tap]));
    }
};

// The taps over rows and columns, in double, as patches of 2 x 2.
std::vector<float> reference(const Picture& picture, const Taps& across, const Taps& down,
                             const std::function<double(const Taps&, uint32_t, uint32_t)>& weight) {
    std::vector<float> patches(size_t(across.out_size) * down.out_size * 3);
    for (uint32_t y = 0; y < down.out_size; ++y)
        for (uint32_t x = 0; x < across.out_size; ++x)
            for (uint32_t c = 0; c < 3; ++c) {
                double sum = 0;
                for (uint32_t i = 0; i < down.count[y]; ++i)
                    for (uint32_t j = 0; j < across.count[x]; ++j)
                        sum += weight(down, y, i) * weight(across, x, j) *
                               picture.at(across.first[x] + j, down.first[y] + i)[c];
                const size_t patch = y / 2 * (across.out_size / 2) + x / 2;
                patches[patch * 12 + c * 4 + y % 2 * 2 + x % 2] =
                    static_cast<float>(sum * 0.01 * (c + 1) - 0.5);
            }
    return patches;
}

TEST_F(ResampleTest, pads_blurs_and_interpolates_in_floats) {
    const Picture picture = texture(37, 23);
    // Made a square of 37, of which rows from 23 on are black, then shrunk to 8.
    const Taps across = make_blurred_taps(37, 37, 8, (37.0 / 8 - 1) / 2);
    const Taps down = make_blurred_taps(37, 23, 8, (37.0 / 8 - 1) / 2);
    double sum = 0;
    for (uint32_t i = 0; i < across.count[3]; ++i) sum += weight(across, 3, i);
    EXPECT_NEAR(sum, 1.0, 1e-6);
    EXPECT_EQ(down.count[7], 0u);  // nothing but black

    Preprocess how{.horizontal = upload(across), .vertical = upload(down)};
    for (int c = 0; c < 3; ++c) how.scale[c] = 0.01f * float(c + 1), how.shift[c] = -0.5f;
    how.patch_width = how.patch_height = 2;
    std::vector<uint8_t> bytes;
    for (const Pixel& pixel : picture.pixels)
        for (int channel : pixel) bytes.push_back(static_cast<uint8_t>(channel));
    Frame frame(device, picture.width, picture.height, false);
    frame.write({bytes.data(), picture.width, picture.height, 3 * picture.width, false});
    for (Type type : {Type::f32, Type::f16}) {
        const auto y = run([&](Commands& c) {
            frame.record(c);
            const Tensor patches = c.scratch(1, 16, 12, type);
            resample(c, patches, frame.image(), how);
            return patches;
        });
        EXPECT_LT(relative_error(y, reference(picture, across, down, weight)), tolerance(type));
    }
}

}  // namespace
}  // namespace saccade
