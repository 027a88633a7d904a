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

TEST(JpegTest, smaller_planes_are_means_of_blocks) {
    for (const PlaneLayout& layout :
         {PlaneLayout{1280, 720, Chroma::halved}, PlaneLayout{999, 333, Chroma::full}}) {
        std::vector<uint8_t> planes = planes_of(layout, 0.2, 0.6, 0.4), small;
        for (uint32_t y = 0; y < layout.height; ++y)  // columns of two levels
            for (uint32_t x = 0; x < layout.width; ++x)
                planes[y * layout.planes()[0].row_bytes + x] = x % 2 ? 50 : 150;
        const PlaneLayout to = shrink(planes, layout, 480, small);
        EXPECT_LE(to.width, 480u);
        EXPECT_GT(to.width, 240u);
        EXPECT_NEAR(double(to.width) / to.height, double(layout.width) / layout.height, 0.05);
        EXPECT_EQ(small.size(), to.bytes());
        EXPECT_NEAR(small[to.planes()[0].row_bytes * (to.height / 2) + to.width / 2], 100, 18);
        const auto chroma = [](const std::vector<uint8_t>& all, const PlaneLayout& of) {
            return all[of.planes()[1].begin + of.planes()[1].row_bytes + 3];
        };
        EXPECT_EQ(chroma(small, to), chroma(planes, layout));
        std::vector<uint8_t> same;
        EXPECT_EQ(shrink(planes, layout, 4000, same).width, layout.width);
        EXPECT_EQ(same.size(), planes.size());
    }
}

}  // namespace
}  // namespace saccade
