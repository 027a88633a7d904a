#include <algorithm>
#include <cmath>

#include "gpu/transfer/triangle_list.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

using Bytes = std::vector<uint8_t>;
using Corner = TriangleList::Corner;
using Clip = TriangleList::Clip;

constexpr Clip everywhere{0, 0, 10000, 10000};

uint32_t rgba(uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
    return r | g << 8 | b << 16 | a << 24;
}

class TrianglesTest : public ImageTest {
protected:
    // The first texel is covered wholly, as ImGui's is; the others vary.
    static Bytes coverage() {
        Bytes bytes;
        for (uint32_t i = 0; i < 13 * 9; ++i) bytes.push_back(uint8_t(i * 71 & 255));
        bytes[0] = 255;
        return bytes;
    }
    // A black screen on which `draw` has drawn.
    template <typename Draw>
    Picture black_with(Size size, Draw draw) {
        list_.begin(size);
        draw(list_);
        const Triangles what = list_.finish();
        return drawn(Picture(size.x, size.y),
                     [&](Commands& c, const Image& image) { triangles(c, image, what); });
    }
    static Corner corner(float x, float y, uint32_t colour) {
        return {x, y, 0.5f / 13, 0.5f / 9, colour};  // the middle of the covered texel
    }

    Atlas atlas_{device, coverage(), {13, 9}};
    TriangleList list_{device, atlas_};
};

TEST_F(TrianglesTest, neighbours_share_no_pixel_and_leave_none_out) {
    // A fan around points on, beside and between pixel middles, half transparent: a pixel that is
    // drawn twice would be brighter, one that is missed would be black.
    const Size size{70, 45};
    for (float middle : {30.0f, 30.5f, 30.37f}) {
        const Picture result = black_with(size, [&](TriangleList& list) {
            const Corner centre = corner(middle, middle - 8, rgba(255, 255, 255, 128));
            const float rim[][2] = {{0, 0},   {20.5f, 0},  {33, 0},     {70, 0}, {70, 22.5f},
                                    {70, 45}, {35.5f, 45}, {12.2f, 45}, {0, 45}, {0, 22.5f}};
            for (size_t i = 0; i < 10; ++i) {
                const auto &a = rim[i], &b = rim[(i + 1) % 10];
                const Corner first = corner(a[0], a[1], centre.colour);
                const Corner second = corner(b[0], b[1], centre.colour);
                if (i % 2)
                    list.add(centre, first, second, everywhere);
                else
                    list.add(second, first, centre, everywhere);  // either way round
            }
        });
        for (uint32_t y = 0; y < size.y; ++y)
            for (uint32_t x = 0; x < size.x; ++x)
                ASSERT_EQ(result.at(x, y)[0], 128) << x << ", " << y << " of " << middle;
    }
}

TEST_F(TrianglesTest, a_pixel_is_drawn_if_its_middle_is_inside) {
    const Size size{20, 20};
    const Picture result = black_with(size, [](TriangleList& list) {
        const uint32_t white = ~0u;
        // [2, 11) x [3.5, 7.5): the middles of rows 3 to 6, the last one's lies on the lower edge.
        list.add(corner(2, 3.5f, white), corner(11, 3.5f, white), corner(11, 7.5f, white),
                 everywhere);
        list.add(corner(2, 3.5f, white), corner(11, 7.5f, white), corner(2, 7.5f, white),
                 everywhere);
    });
    for (uint32_t y = 0; y < 20; ++y)
        for (uint32_t x = 0; x < 20; ++x)
            EXPECT_EQ(result.at(x, y)[0], x >= 2 && x < 11 && y >= 3 && y < 7 ? 255 : 0)
                << x << ", " << y;
}

TEST_F(TrianglesTest, later_ones_lie_over_earlier_ones_by_their_alpha) {
    const Size size{16, 16};
    const Picture result = black_with(size, [](TriangleList& list) {
        for (uint32_t colour : {rgba(200, 0, 0, 255), rgba(0, 100, 0, 128), rgba(0, 0, 40, 64)})
            list.add(corner(0, 0, colour), corner(40, 0, colour), corner(0, 40, colour),
                     everywhere);
    });
    const double green = 128 / 255.0, blue = 64 / 255.0;
    EXPECT_NEAR(result.at(3, 3)[0], 200 * (1 - green) * (1 - blue), 1);
    EXPECT_NEAR(result.at(3, 3)[1], 100 * green * (1 - blue), 1);
    EXPECT_NEAR(result.at(3, 3)[2], 40 * blue, 1);
}

TEST_F(TrianglesTest, colours_and_alpha_run_evenly_from_corner_to_corner) {
    const Size size{50, 33};
    const Picture result = black_with(size, [](TriangleList& list) {
        list.add(corner(0, 0, rgba(250, 0, 0, 255)), corner(50, 0, rgba(0, 250, 0, 255)),
                 corner(0, 33, rgba(0, 0, 250, 55)), everywhere);
    });
    for (uint32_t y = 0; y < 33; ++y)
        for (uint32_t x = 0; x < 50; ++x) {
            const double u = (x + 0.5) / 50, v = (y + 0.5) / 33;
            if (u + v > 0.99) continue;
            const double alpha = (255 * (1 - v) + 55 * v) / 255;
            ASSERT_NEAR(result.at(x, y)[0], 250 * (1 - u - v) * alpha, 1.01);
            ASSERT_NEAR(result.at(x, y)[1], 250 * u * alpha, 1.01);
            ASSERT_NEAR(result.at(x, y)[2], 250 * v * alpha, 1.01);
        }
}

TEST_F(TrianglesTest, nothing_is_drawn_outside_of_the_clip) {
    const Size size{40, 40};
    const Picture result = black_with(size, [](TriangleList& list) {
        list.add(corner(-50, -50, ~0u), corner(150, -50, ~0u), corner(-50, 150, ~0u),
                 {5, 17, 21, 33});
        list.add(corner(0, 0, ~0u), corner(9, 0, ~0u), corner(0, 9, ~0u), {30, 30, 20, 20});
    });
    for (uint32_t y = 0; y < 40; ++y)
        for (uint32_t x = 0; x < 40; ++x)
            ASSERT_EQ(result.at(x, y)[0], x >= 5 && x < 21 && y >= 17 && y < 33 ? 255 : 0)
                << x << ", " << y;
}

TEST_F(TrianglesTest, a_texture_that_lies_on_pixels_is_shown_texel_by_texel) {
    const Size size{30, 20};
    const Picture result = black_with(size, [](TriangleList& list) {
        const Corner a{4, 5, 0, 0, ~0u}, b{17, 5, 1, 0, ~0u}, c{17, 14, 1, 1, ~0u},
            d{4, 14, 0, 1, ~0u};
        list.add(a, b, c, everywhere);
        list.add(a, c, d, everywhere);
    });
    const Bytes texels = coverage();
    for (uint32_t y = 0; y < 9; ++y)
        for (uint32_t x = 0; x < 13; ++x)
            ASSERT_NEAR(result.at(4 + x, 5 + y)[0], texels[y * 13 + x], 1) << x << ", " << y;
}

TEST_F(TrianglesTest, between_texels_coverage_is_bilinear) {
    const Size size{30, 20};
    const Picture result = black_with(size, [](TriangleList& list) {
        const Corner a{0, 0, 0, 0, ~0u}, b{26, 0, 1, 0, ~0u}, c{26, 18, 1, 1, ~0u},
            d{0, 18, 0, 1, ~0u};  // twice as large
        list.add(a, b, c, everywhere);
        list.add(a, c, d, everywhere);
    });
    const Bytes texels = coverage();
    auto texel = [&](int x, int y) {
        return double(texels[size_t(std::clamp(y, 0, 8) * 13 + std::clamp(x, 0, 12))]);
    };
    for (int y = 0; y < 18; ++y)
        for (int x = 0; x < 26; ++x) {
            const int i = (x + 1) / 2 - 1, j = (y + 1) / 2 - 1;  // a quarter past, or before
            const double u = x % 2 ? 0.25 : 0.75, v = y % 2 ? 0.25 : 0.75;
            const double want = (1 - v) * ((1 - u) * texel(i, j) + u * texel(i + 1, j)) +
                                v * ((1 - u) * texel(i, j + 1) + u * texel(i + 1, j + 1));
            ASSERT_NEAR(result.at(uint32_t(x), uint32_t(y))[0], want, 1.5) << x << ", " << y;
        }
}

TEST_F(TrianglesTest, a_list_is_used_again_for_more_for_less_and_for_another_screen) {
    const Size small{10, 10}, large{130, 100};
    auto dots = [](uint32_t count) {
        return [count](TriangleList& list) {
            for (uint32_t i = 0; i < count; ++i) {
                const float x = float(i % 10), y = float(i / 10);
                list.add(corner(x, y, ~0u), corner(x + 2, y, ~0u), corner(x, y + 2, ~0u),
                         {x, y, x + 1, y + 1});
            }
        };
    };
    auto lit = [](const Picture& picture) {
        return std::ranges::count(picture.pixels, Pixel{255, 255, 255});
    };
    EXPECT_EQ(lit(black_with(small, dots(3))), 3);
    EXPECT_EQ(lit(black_with(large, dots(900))), 900);
    EXPECT_EQ(lit(black_with(small, dots(0))), 0);
    EXPECT_EQ(lit(black_with(small, dots(100))), 100);
}

TEST_F(TrianglesTest, what_cannot_be_seen_is_not_even_listed) {
    list_.begin({20, 20});
    const uint32_t clear = rgba(255, 255, 255, 0);
    list_.add(corner(0, 0, clear), corner(9, 0, clear), corner(0, 9, clear), everywhere);
    list_.add(corner(0, 0, ~0u), corner(5, 5, ~0u), corner(10, 10, ~0u), everywhere);  // a line
    list_.add(corner(30, 0, ~0u), corner(40, 0, ~0u), corner(30, 9, ~0u), everywhere);
    const float nan = std::nanf("");
    list_.add(corner(nan, 0, ~0u), corner(9, 0, ~0u), corner(0, 9, ~0u), everywhere);
    EXPECT_EQ(list_.count(), 0u);
    list_.add(corner(0, 0, ~0u), corner(9, 0, ~0u), corner(0, 9, ~0u), everywhere);
    EXPECT_EQ(list_.count(), 1u);
}

TEST_F(TrianglesTest, a_thin_one_is_listed_where_it_is_alone) {
    list_.begin({160, 160});
    list_.add(corner(0, 0, ~0u), corner(160, 158, ~0u), corner(160, 160, ~0u), everywhere);
    list_.finish();
    EXPECT_GE(list_.touched(), 10u) << "the diagonal";
    EXPECT_LE(list_.touched(), 28u) << "and its neighbours, of a hundred tiles";
}

TEST_F(TrianglesTest, lists_for_a_smaller_screen_are_refused) {
    list_.begin({300, 300});
    const Triangles what = list_.finish();
    const Image large(device, "screen", 1000, 1000);
    begin();
    EXPECT_THROW(triangles(commands, large, what), Error);
    finish();
}

}  // namespace
}  // namespace saccade
