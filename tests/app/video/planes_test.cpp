// Planes of YUV on their way from the device to a video.

#include "app/video/av.h"
#include "app/video/fit_planes.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

class Planes : public ImageTest {
protected:
    // Colour gradients, as in photographs.
    static Picture slopes(uint32_t width, uint32_t height) {
        Picture picture(width, height);
        for (uint32_t y = 0; y < height; ++y)
            for (uint32_t x = 0; x < width; ++x)
                picture.at(x, y) = {int(255 * x / width), int(255 * y / height),
                                    int(255 * (x + y) / (width + height))};
        return picture;
    }
    static std::vector<uint8_t> by_ffmpeg(const Picture& picture, const PlaneLayout& layout) {
        const int width = int(picture.width), height = int(picture.height);
        const AVPixelFormat format =
            layout.chroma == Chroma::halved ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_YUV444P;
        const Av<SwsContext> convert(sws_getContext(
            width, height, AV_PIX_FMT_RGB24, width, height, format,
            SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT, nullptr, nullptr, nullptr));
        std::vector<uint8_t> rgb, out(layout.bytes());
        for (const Pixel& pixel : picture.pixels)
            for (int level : pixel) rgb.push_back(static_cast<uint8_t>(level));
        uint8_t* planes[4] = {};
        int rows[4] = {};
        for (size_t i = 0; i < 3; ++i) {
            planes[i] = out.data() + layout.planes()[i].begin;
            rows[i] = int(layout.planes()[i].row_bytes);
        }
        const uint8_t* const pixels = rgb.data();
        const int row_bytes = 3 * width;
        sws_scale(convert.get(), &pixels, &row_bytes, 0, height, planes, rows);
        return out;
    }
};

TEST_F(Planes, of_the_device_are_within_a_level_of_those_of_ffmpeg) {
    for (const PlaneLayout layout :
         {PlaneLayout{64, 48, Chroma::halved}, PlaneLayout{98, 54, Chroma::halved},
          PlaneLayout{63, 47, Chroma::full}}) {
        const Picture picture = slopes(layout.width, layout.height);
        const PlanarReadback back(device, layout);
        drawn(picture, [&](Commands& c, const Image& image) { back.record(c, image); });
        const uint8_t* got = back.picture().memory;
        const std::vector<uint8_t> want = by_ffmpeg(picture, layout);
        for (const PlaneLayout::Plane& plane : layout.planes()) {
            int worst = 0;
            for (uint32_t y = 0; y < plane.height; ++y)
                for (uint32_t x = 0; x < plane.width; ++x) {
                    const size_t at = plane.begin + y * plane.row_bytes + x;
                    worst = std::max(worst, std::abs(int(got[at]) - int(want[at])));
                }
            EXPECT_LE(worst, 1) << layout.width << "x" << layout.height;
        }
    }
}

TEST_F(Planes, of_another_size_are_fitted_into_the_middle_of_black) {
    const PlaneLayout from{31, 15, Chroma::full}, to{64, 64, Chroma::halved};
    std::vector<uint8_t> in(from.bytes()), out(to.bytes());
    for (size_t i = 0; i < 3; ++i)
        std::fill_n(in.begin() + int64_t(from.planes()[i].begin), from.planes()[i].row_bytes * 15,
                    uint8_t(50 + 50 * i));
    uint8_t* planes[3];
    int rows[3];
    for (size_t i = 0; i < 3; ++i) {
        planes[i] = out.data() + to.planes()[i].begin;
        rows[i] = int(to.planes()[i].row_bytes);
    }
    fit_planes({in.data(), from}, to, planes, rows);
    auto at = [&](size_t plane, int x, int y) { return int(planes[plane][y * rows[plane] + x]); };
    EXPECT_EQ(at(0, 32, 32), 50);
    EXPECT_EQ(at(1, 16, 16), 100);
    EXPECT_EQ(at(2, 16, 16), 150);
    EXPECT_EQ(at(0, 0, 32), 50);
    EXPECT_EQ(at(0, 32, 10), 16);
    EXPECT_EQ(at(1, 16, 5), 128);
    EXPECT_EQ(at(2, 16, 27), 128);
}

}  // namespace
}  // namespace saccade
