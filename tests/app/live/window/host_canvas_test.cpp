#include "app/live/window/host_canvas.h"

#include <functional>
#include <random>

#include "app/live/window/ui.h"
#include "tests/gpu/ops/image_test.h"

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
    // Two halves of a parallelogram that is no rectangle.
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

// Compares the host's canvas with the kernel on the same triangles. Their corners lie on eighths of
// a pixel, so that rounding does not decide which pixels are inside.
class TwoRasterisers : public ImageTest {
protected:
    static constexpr uint32_t width = 96, height = 64;

    TwoRasterisers() {
        std::vector<uint8_t> covered(size_t{8} * 8);
        for (size_t i = 0; i < covered.size(); ++i) covered[i] = uint8_t(i * 37);
        covered[0] = 255;
        atlas_ = std::make_unique<Atlas>(device, covered, Size{8, 8});
    }
    Corner corner(uint32_t alpha, bool textured) {
        const auto eighth = [&](uint32_t most) { return float(random_() % (8 * most)) / 8; };
        Corner result{eighth(width), eighth(height), 0.5f / 8, 0.5f / 8,
                      uint32_t(random_() & 0xffffff) | alpha << 24};
        if (textured) {
            result.u = eighth(1);
            result.v = eighth(1);
        }
        return result;
    }
    // Draws with both, and returns the largest difference of any channel of any pixel.
    int difference(const std::function<void(const Ui::AddTriangle&)>& draw) {
        TriangleList list(device, *atlas_);
        list.begin({width, height});
        HostCanvas canvas(*atlas_);
        canvas.begin({width, height}, {});
        draw(
            [&](const Corner& a, const Corner& b, const Corner& c, const TriangleList::Clip& clip) {
                list.add(a, b, c, clip);
                canvas.add(a, b, c, clip);
            });
        const Triangles all = list.finish();
        const Picture kernel = drawn(Picture(width, height), [&](Commands& c, const Image& image) {
            triangles(c, image, all);
        });
        const cv::Mat& host = canvas.finish();
        Picture of_host(width, height);
        for (uint32_t y = 0; y < height; ++y)
            for (uint32_t x = 0; x < width; ++x) {
                const auto bgr = host.at<cv::Vec3b>(int(y), int(x));
                of_host.at(x, y) = {bgr[2], bgr[1], bgr[0]};
            }
        return kernel.distance(of_host);
    }
    std::mt19937 random_{11};

private:
    std::unique_ptr<Atlas> atlas_;
};

TEST_F(TwoRasterisers, fill_the_same_pixels) {
    // Opaque and of one colour each: a pixel that only one of them fills differs.
    EXPECT_EQ(difference([&](const Ui::AddTriangle& add) {
                  for (int i = 0; i < 60; ++i) {
                      Corner a = corner(255, false), b = corner(255, false), c = corner(255, false);
                      b.colour = c.colour = a.colour;
                      add(a, b, c, i % 3 ? everywhere : TriangleList::Clip{10, 5, 70, 50});
                  }
              }),
              0);
}

TEST_F(TwoRasterisers, fill_the_same_rectangles_as_two_triangles) {
    EXPECT_EQ(difference([&](const Ui::AddTriangle& add) {
                  for (int i = 0; i < 40; ++i) {
                      Corner a = corner(255, false), c = corner(255, false);
                      if (a.x > c.x) std::swap(a.x, c.x);
                      if (a.y > c.y) std::swap(a.y, c.y);
                      Corner b = a, d = a;
                      c.colour = a.colour;
                      b.x = c.x;
                      d.y = c.y;
                      add(a, b, c, everywhere);
                      add(a, c, d, everywhere);
                  }
              }),
              0);
}

TEST_F(TwoRasterisers, mix_colours_letters_and_what_shines_through_alike) {
    // One layer: the host rounds alpha and colours to levels, the kernel only the result.
    for (int i = 0; i < 20; ++i)
        EXPECT_LE(difference([&](const Ui::AddTriangle& add) {
                      add(corner(uint32_t(40 + 10 * i), i % 2), corner(255, i % 2),
                          corner(90, i % 2), everywhere);
                  }),
                  2)
            << i;
}

}  // namespace
}  // namespace saccade
