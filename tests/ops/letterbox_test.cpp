#include <algorithm>
#include <cmath>

#include "gpu/frame.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using Bytes = std::vector<uint8_t>;

class LetterboxTest : public GpuTest {
protected:
    // RGB pixels of a picture, all different from their neighbours.
    static Bytes picture(Extent size) {
        Bytes rgb;
        for (uint32_t y = 0; y < size.height; ++y)
            for (uint32_t x = 0; x < size.width; ++x)
                for (uint32_t c = 0; c < 3; ++c)
                    rgb.push_back(uint8_t((x * 37 + y * 91 + c * 53) & 255));
        return rgb;
    }
    Bytes on_device(const Bytes& rgb, Extent from, Extent to, const Placement& place) {
        Frame frame(device, from.width, from.height, false);
        frame.write({rgb.data(), from.width, from.height, 3 * from.width, false});
        const Image screen(device, "screen", to.width, to.height);
        begin();
        frame.record(commands);
        letterbox(commands, screen, frame.image(), place);
        finish();
        return picture_bytes(screen);
    }
    // The same in plain loops: bilinear where both sides grow, else the mean of what is covered.
    static Bytes reference(const Bytes& rgb, Extent from, Extent to, const Placement& place) {
        const double step_x = double(from.width) / place.width;
        const double step_y = double(from.height) / place.height;
        auto pixel = [&](int x, int y, size_t c) {
            const size_t column = size_t(std::clamp(x, 0, int(from.width) - 1));
            const size_t row = size_t(std::clamp(y, 0, int(from.height) - 1));
            return double(rgb[(row * from.width + column) * 3 + c]);
        };
        auto bilinear = [&](double x, double y, size_t c) {
            const double left = std::floor(x - 0.5), top = std::floor(y - 0.5);
            const double u = x - 0.5 - left, v = y - 0.5 - top;
            const int i = int(left), j = int(top);
            return (1 - v) * ((1 - u) * pixel(i, j, c) + u * pixel(i + 1, j, c)) +
                   v * ((1 - u) * pixel(i, j + 1, c) + u * pixel(i + 1, j + 1, c));
        };
        auto mean = [&](double x, double y, size_t c) {
            double sum = 0, area = 0;
            for (int j = int(y); j < y + step_y; ++j)
                for (int i = int(x); i < x + step_x; ++i) {
                    const double part = (std::min(x + step_x, i + 1.0) - std::max(x, i + 0.0)) *
                                        (std::min(y + step_y, j + 1.0) - std::max(y, j + 0.0));
                    sum += part * pixel(i, j, c);
                    area += part;
                }
            return sum / area;
        };
        Bytes result;
        for (int y = 0; y < int(to.height); ++y)
            for (int x = 0; x < int(to.width); ++x) {
                const int i = x - place.left, j = y - place.top;
                const bool inside =
                    i >= 0 && j >= 0 && i < int(place.width) && j < int(place.height);
                for (size_t c = 0; c < 3; ++c) {
                    double value = 0;
                    if (inside && step_x < 1 && step_y < 1)
                        value = bilinear((i + 0.5) * step_x, (j + 0.5) * step_y, c);
                    else if (inside)
                        value = mean(i * step_x, j * step_y, c);
                    result.push_back(uint8_t(std::lround(value)));
                }
                result.push_back(255);
            }
        return result;
    }
    static int largest_difference(const Bytes& a, const Bytes& b) {
        if (a.size() != b.size()) return 256;
        int worst = 0;
        for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
        return worst;
    }
};

TEST_F(LetterboxTest, enlarges_smoothly_reduces_by_the_mean_and_leaves_the_rest_black) {
    struct Case {
        Extent from, to;
    };
    for (const Case& c : {Case{{20, 30}, {61, 47}}, Case{{48, 64}, {17, 40}},
                          Case{{9, 16}, {90, 33}}, Case{{1, 1}, {5, 9}}, Case{{33, 21}, {7, 7}}}) {
        const Bytes rgb = picture(c.from);
        const Placement place = fitted(c.from, c.to);
        EXPECT_LE(largest_difference(on_device(rgb, c.from, c.to, place),
                                     reference(rgb, c.from, c.to, place)),
                  1)
            << c.from.width << "x" << c.from.height << " on " << c.to.width << "x" << c.to.height;
    }
}

TEST_F(LetterboxTest, a_picture_of_the_screens_size_is_copied_exactly) {
    const Extent size{37, 50};
    const Bytes rgb = picture(size);
    EXPECT_EQ(on_device(rgb, size, size, fitted(size, size)),
              reference(rgb, size, size, {0, 0, size.width, size.height}));
}

TEST_F(LetterboxTest, a_picture_may_hang_over_the_screens_edges) {
    const Extent from{24, 32}, to{20, 20};
    const Placement place{-7, -3, 64, 48};
    EXPECT_LE(largest_difference(on_device(picture(from), from, to, place),
                                 reference(picture(from), from, to, place)),
              1);
}

TEST_F(LetterboxTest, a_picture_without_a_place_is_refused) {
    const Image screen(device, "screen", 4, 4);
    begin();
    EXPECT_THROW(letterbox(commands, screen, screen, {0, 0, 0, 4}), Error);
    finish();
}

TEST(Fitted, a_picture_keeps_its_proportions_in_the_middle_of_the_screen) {
    EXPECT_EQ(fitted({480, 640}, {720, 1280}), (Placement{160, 0, 960, 720}));
    EXPECT_EQ(fitted({720, 1280}, {768, 1024}), (Placement{0, 96, 1024, 576}));
    EXPECT_EQ(fitted({100, 100}, {100, 100}), (Placement{0, 0, 100, 100}));
    EXPECT_EQ(fitted({1, 5000}, {600, 800}), (Placement{0, 299, 800, 1})) << "never less than one";
    EXPECT_EQ(fitted({480, 640}, {0, 0}), Placement{}) << "a minimised window";
}

}  // namespace
}  // namespace saccade
