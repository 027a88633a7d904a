#include <algorithm>
#include <cmath>

#include "gpu/ops/pictures.h"
#include "gpu/ops/products/tile_table.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

class LetterboxTest : public ImageTest {
protected:
    Picture on_device(const Picture& picture, Size to, const Placement& place) {
        const Image screen(device, "screen", to.x, to.y);
        const Readback readback(device, to.x, to.y, false);
        drawn(picture, [&](Commands& c, const Image& image) {
            letterbox(c, screen, image, place);
            readback.record(c, screen);
        });
        return picture_of(readback);
    }
    // The same in plain loops: bilinear where both sides grow, else the mean of the covered pixels.
    static Picture reference(const Picture& from, Size to, const Placement& place) {
        const double step_x = double(from.width) / place.width;
        const double step_y = double(from.height) / place.height;
        auto pixel = [&](int x, int y, size_t c) {
            return double(from.at(uint32_t(std::clamp(x, 0, int(from.width) - 1)),
                                  uint32_t(std::clamp(y, 0, int(from.height) - 1)))[c]);
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
        Picture result(to.x, to.y);
        for (int y = 0; y < int(to.y); ++y)
            for (int x = 0; x < int(to.x); ++x) {
                const int i = x - place.left, j = y - place.top;
                if (i < 0 || j < 0 || i >= int(place.width) || j >= int(place.height)) continue;
                for (size_t c = 0; c < 3; ++c)
                    result.at(uint32_t(x), uint32_t(y))[c] =
                        int(std::lround(step_x < 1 && step_y < 1
                                            ? bilinear((i + 0.5) * step_x, (j + 0.5) * step_y, c)
                                            : mean(i * step_x, j * step_y, c)));
            }
        return result;
    }
};

TEST_F(LetterboxTest, enlarges_smoothly_reduces_by_the_mean_and_leaves_the_rest_black) {
    struct Case {
        Size from, to;
    };
    for (const Case& c : {Case{{30, 20}, {47, 61}}, Case{{64, 48}, {40, 17}},
                          Case{{16, 9}, {33, 90}}, Case{{1, 1}, {9, 5}}, Case{{21, 33}, {7, 7}}}) {
        const Picture picture = texture(c.from.x, c.from.y);
        const Placement place = fitted(c.from, c.to);
        EXPECT_LE(on_device(picture, c.to, place).distance(reference(picture, c.to, place)), 1)
            << c.from.x << "x" << c.from.y << " on " << c.to.x << "x" << c.to.y;
    }
}

TEST_F(LetterboxTest, a_picture_of_the_screens_size_is_copied_exactly) {
    const Picture picture = texture(50, 37);
    EXPECT_EQ(on_device(picture, {50, 37}, fitted({50, 37}, {50, 37})).distance(picture), 0);
}

TEST_F(LetterboxTest, a_picture_may_hang_over_the_screens_edges) {
    const Picture picture = texture(32, 24);
    const Placement place{-7, -3, 64, 48};
    EXPECT_LE(on_device(picture, {20, 20}, place).distance(reference(picture, {20, 20}, place)), 1);
}

TEST_F(LetterboxTest, a_picture_without_a_place_is_refused) {
    const Image screen(device, "screen", 4, 4);
    begin();
    EXPECT_THROW(letterbox(commands, screen, screen, {0, 0, 0, 4}), Error);
    finish();
}

TEST(Fitted, a_picture_keeps_its_proportions_in_the_middle_of_the_screen) {
    EXPECT_EQ(fitted({640, 480}, {1280, 720}), (Placement{160, 0, 960, 720}));
    EXPECT_EQ(fitted({1280, 720}, {1024, 768}), (Placement{0, 96, 1024, 576}));
    EXPECT_EQ(fitted({100, 100}, {100, 100}), (Placement{0, 0, 100, 100}));
    EXPECT_EQ(fitted({5000, 1}, {800, 600}), (Placement{0, 299, 800, 1})) << "never less than one";
    EXPECT_EQ(fitted({640, 480}, {0, 0}), Placement{}) << "a minimised window";
}

}  // namespace
}  // namespace saccade
