#include <algorithm>

#include "gpu/ops/pictures.h"
#include "models/picture/resample.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

class ResizeTest : public ImageTest {
protected:
    ResizeTaps upload(const Taps& taps) {
        std::vector<uint32_t> windows;
        for (uint32_t i = 0; i < taps.out_size; ++i) {
            windows.push_back(taps.first[i]);
            windows.push_back(taps.count[i]);
        }
        const std::vector<uint32_t> weights(taps.weights.begin(), taps.weights.end());
        return {ids(windows), ids(weights), taps.out_size, taps.max_taps};
    }
    static int level(const Taps& taps, uint32_t out, const auto& source) {
        int sum = 1 << (weight_bits - 1);
        for (uint32_t i = 0; i < taps.count[out]; ++i)
            sum += taps.weights[size_t(out) * taps.max_taps + i] * source(taps.first[out] + i);
        return std::clamp(sum >> weight_bits, 0, 255);
    }
};

TEST_F(ResizeTest, is_pillows_to_the_bit) {
    const Picture from = texture(41, 29);
    const Taps across = make_taps(41, 17, Filter::lanczos),
               down = make_taps(29, 33, Filter::lanczos);
    Picture rows(17, 29), want(17, 33);
    for (uint32_t y = 0; y < 29; ++y)
        for (uint32_t x = 0; x < 17; ++x)
            for (size_t c = 0; c < 3; ++c)
                rows.at(x, y)[c] = level(across, x, [&](uint32_t at) { return from.at(at, y)[c]; });
    for (uint32_t y = 0; y < 33; ++y)
        for (uint32_t x = 0; x < 17; ++x)
            for (size_t c = 0; c < 3; ++c)
                want.at(x, y)[c] = level(down, y, [&](uint32_t at) { return rows.at(x, at)[c]; });

    const ResizeTaps horizontal = upload(across), vertical = upload(down);
    const Image to(device, "resized", 17, 33);
    const Readback readback(device, 17, 33, false);
    drawn(from, [&](Commands& c, const Image& image) {
        resize(c, to, image, horizontal, vertical);
        readback.record(c, to);
    });
    EXPECT_EQ(picture_of(readback).distance(want), 0);
}

}  // namespace
}  // namespace saccade
