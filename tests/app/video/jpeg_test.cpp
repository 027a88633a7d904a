#include "app/video/jpeg.h"

#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>

namespace saccade {
namespace {

// One colour, as the device makes it: BT.601 in the limited range.
std::vector<uint8_t> planes_of(const PlaneLayout& layout, double red, double green, double blue) {
    const double y = 0.299 * red + 0.587 * green + 0.114 * blue;
    const double levels[] = {16 + 219 * y, 128 + 224 * (blue - y) / 1.772,
                             128 + 224 * (red - y) / 1.402};
    std::vector<uint8_t> planes(layout.bytes());
    for (size_t i = 0; i < 3; ++i) {
        const PlaneLayout::Plane plane = layout.planes()[i];
        std::fill_n(planes.begin() + std::ptrdiff_t(plane.begin), plane.row_bytes * plane.height,
                    static_cast<uint8_t>(std::lround(levels[i])));
    }
    return planes;
}

TEST(JpegTest, has_the_colours_of_the_planes) {
    JpegEncoder encoder;
    const double colours[][3] = {{0, 0, 0}, {1, 1, 1}, {1, 0, 0},
                                 {0, 1, 0}, {0, 0, 1}, {0.5, 0.4, 0.7}};
    for (const PlaneLayout& layout :
         {PlaneLayout{64, 48, Chroma::halved}, PlaneLayout{33, 17, Chroma::full}})
        for (const auto& [red, green, blue] : colours) {
            std::vector<uint8_t> planes = planes_of(layout, red, green, blue);
            const std::span<const uint8_t> jpeg = encoder.encode(planes, layout);
            const cv::Mat shown =
                cv::imdecode(std::vector<uint8_t>(jpeg.begin(), jpeg.end()), cv::IMREAD_COLOR);
            ASSERT_EQ(shown.cols, int(layout.width));
            ASSERT_EQ(shown.rows, int(layout.height));
            const cv::Vec3b bgr = shown.at<cv::Vec3b>(shown.rows - 1, shown.cols - 1);
            EXPECT_NEAR(bgr[0], 255 * blue, 5) << red << green << blue;
            EXPECT_NEAR(bgr[1], 255 * green, 5) << red << green << blue;
            EXPECT_NEAR(bgr[2], 255 * red, 5) << red << green << blue;
        }
}

}  // namespace
}  // namespace saccade
