#include "app/live/window/host_canvas.h"

#include "tests/gpu_test.h"

namespace saccade {
namespace {

using Corner = TriangleList::Corner;
constexpr TriangleList::Clip everywhere{0, 0, 1000, 1000};

class HostCanvasTest : public GpuTest {
protected:
    HostCanvasTest() : canvas(atlas()) { canvas.begin({64, 48}, {}); }
    const Atlas& atlas() {
        static constexpr uint8_t covered[] = {255, 255, 0, 255};
        atlas_ = std::make_unique<Atlas>(device, covered, Size{2, 2});
        return *atlas_;
    }
    static constexpr uint32_t red = 0xff0000ff, half_green = 0x8000ff00;
    void add_rectangle(float left, float top, float right, float bottom, uint32_t colour,
                       const TriangleList::Clip& clip = everywhere) {
        auto at = [&](float x, float y) { return Corner{x, y, 0.25f, 0.25f, colour}; };
        canvas.add(at(left, top), at(right, top), at(right, bottom), clip);
        canvas.add(at(left, top), at(right, bottom), at(left, bottom), clip);
    }
    cv::Vec3b pixel(int x, int y) { return canvas.finish().at<cv::Vec3b>(y, x); }

    std::unique_ptr<Atlas> atlas_;
    HostCanvas canvas;
};

TEST_F(HostCanvasTest, rectangles_fill_the_pixels_whose_middles_they_hold_within_their_clip) {
    add_rectangle(10, 10, 20, 20, red, {0, 0, 15, 1000});
    EXPECT_EQ(pixel(10, 10), cv::Vec3b(0, 0, 255));
    EXPECT_EQ(pixel(14, 19), cv::Vec3b(0, 0, 255));
    EXPECT_EQ(pixel(15, 15), cv::Vec3b(0, 0, 0)) << "clipped";
    EXPECT_EQ(pixel(9, 10), cv::Vec3b(0, 0, 0));
    EXPECT_EQ(pixel(10, 20), cv::Vec3b(0, 0, 0));
}

TEST_F(HostCanvasTest, what_shines_through_is_mixed_once_where_triangles_meet) {
    auto at = [&](float x, float y) { return Corner{x, y, 0.25f, 0.25f, half_green}; };
    // Two halves of a parallelogram, which is no rectangle.
    canvas.add(at(10, 10), at(30, 10), at(40, 30), everywhere);
    canvas.add(at(10, 10), at(40, 30), at(20, 30), everywhere);
    for (int y = 10; y < 30; ++y)
        for (int x = 0; x < 64; ++x) {
            const uint8_t green = pixel(x, y)[1];
            EXPECT_TRUE(green == 0 || (green >= 126 && green <= 130)) << x << ", " << y;
        }
    EXPECT_NEAR(pixel(25, 20)[1], 128, 2);
}

TEST_F(HostCanvasTest, the_picture_lies_in_its_place_with_black_around) {
    const std::vector<uint8_t> white(size_t{8} * 6 * 3, 255);
    canvas.give(PictureView{white.data(), 8, 6, 24, true});
    canvas.begin({64, 48}, {16, 12, 32, 24});
    EXPECT_EQ(pixel(15, 20), cv::Vec3b(0, 0, 0));
    EXPECT_EQ(pixel(16, 12), cv::Vec3b(255, 255, 255));
    EXPECT_EQ(pixel(47, 35), cv::Vec3b(255, 255, 255));
    EXPECT_EQ(pixel(48, 35), cv::Vec3b(0, 0, 0));
    canvas.give(std::nullopt);
    canvas.begin({64, 48}, {});
    EXPECT_EQ(pixel(30, 20), cv::Vec3b(0, 0, 0));
}

}  // namespace
}  // namespace saccade
