#include <cmath>

#include "gpu/ops/pictures.h"

#include "tests/gpu/ops/pictures/yuv_test.h"

namespace saccade {
namespace {

// Keys' cubic filter with a = -0.6, of a distance in samples.
double cubic(double d) {
    const double a = -0.6;
    d = std::abs(d);
    if (d < 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
    return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

class UnpackYuvTest : public YuvTest {
protected:
    // A level of U or V at a pixel, by the filter's formula.
    static double chroma_at(const Planes& planes, uint32_t plane, uint32_t x, uint32_t y) {
        const YuvFormat& format = *planes.layout.yuv;
        auto place = [](uint32_t pixel, bool halved, bool at_first) {
            return halved ? (pixel - (at_first ? 0 : 0.5)) / 2 : double(pixel);
        };
        const double across = place(x, format.half_width, format.chroma_left);
        const double down = place(y, format.half_height, format.chroma_top);
        double sum = 0;
        for (int j = int(std::floor(down)) - 2; j <= int(down) + 3; ++j) {
            double row = 0;
            for (int i = int(std::floor(across)) - 2; i <= int(across) + 3; ++i)
                row += cubic(across - i) * planes.at(plane, i, j);
            sum += cubic(down - j) * std::min(row, std::ldexp(32767.0 / 128, int(format.bits) - 8));
        }
        return sum;
    }
    static Picture reference(const Planes& planes) {
        const YuvFormat& format = *planes.layout.yuv;
        const auto [kr, kb] = luma_weights(format.matrix);
        const double kg = 1 - kr - kb;
        const YuvLevels level = yuv_levels(format.full_range, format.bits);
        Picture picture(planes.layout.width, planes.layout.height);
        for (uint32_t y = 0; y < picture.height; ++y)
            for (uint32_t x = 0; x < picture.width; ++x) {
                const double luma = (planes.at(0, int(x), int(y)) - level.black) / level.luma;
                const double u = (chroma_at(planes, 1, x, y) - level.grey) / level.chroma;
                const double v = (chroma_at(planes, 2, x, y) - level.grey) / level.chroma;
                // The RGB of this Y, U and V: U = (B - Y) / (2 - 2 kb), V alike.
                const double red = luma + v * (2 - 2 * kr), blue = luma + u * (2 - 2 * kb);
                const double green = (luma - kr * red - kb * blue) / kg;
                auto rounded = [](double value) {
                    return int(std::lround(std::clamp(value, 0.0, 1.0) * 255));
                };
                picture.at(x, y) = {rounded(red), rounded(green), rounded(blue)};
            }
        return picture;
    }
};

TEST_F(UnpackYuvTest, is_what_plain_loops_make_of_every_format_and_odd_sizes) {
    for (YuvMatrix matrix : {YuvMatrix::bt601, YuvMatrix::bt709, YuvMatrix::bt2020})
        for (bool full : {false, true})
            for (uint32_t bits : {8u, 10u, 12u})
                for (uint32_t halved : {0u, 1u, 2u, 3u}) {
                    YuvFormat format{.matrix = matrix, .full_range = full, .bits = bits};
                    format.half_width = halved & 1;
                    format.half_height = halved & 2;
                    const Planes planes = noise({.width = 37, .height = 11, .yuv = format});
                    // But for rounding.
                    EXPECT_LE(on_device(planes).distance(reference(planes)), 1)
                        << "matrix " << int(matrix) << (full ? " full " : " limited ") << bits
                        << " bits, " << halved;
                }
}

TEST_F(UnpackYuvTest, colours_lie_where_the_format_says) {
    for (uint32_t place : {0u, 1u, 2u, 3u})
        for (auto [width, height] : {std::pair{1u, 1u}, {2u, 1u}, {1u, 5u}, {9u, 6u}}) {
            const YuvFormat format{.chroma_left = (place & 1) != 0, .chroma_top = (place & 2) != 0};
            const Planes planes = noise({.width = width, .height = height, .yuv = format});
            EXPECT_LE(on_device(planes).distance(reference(planes)), 1)
                << width << "x" << height << " " << place;
        }
}

TEST_F(UnpackYuvTest, known_colours_come_out) {
    // Of the limited range, by BT.709: black, white, grey, and red as the standard rounds it.
    const PixelLayout layout{.width = 4, .height = 2, .yuv = YuvFormat{.matrix = YuvMatrix::bt709}};
    auto colour = [&](std::array<uint32_t, 3> yuv) {
        return on_device(of_one_colour(layout, yuv)).at(3, 1);
    };
    EXPECT_EQ(colour({16, 128, 128}), (Pixel{0, 0, 0}));
    EXPECT_EQ(colour({235, 128, 128}), (Pixel{255, 255, 255}));
    EXPECT_EQ(colour({126, 128, 128}), (Pixel{128, 128, 128}));
    EXPECT_EQ(colour({63, 102, 240}), (Pixel{255, 1, 0}));
}

TEST_F(UnpackYuvTest, turns_pictures_upright) {
    Planes planes = noise({.width = 7, .height = 4, .yuv = YuvFormat{}});
    const Picture lying = on_device(planes);
    for (uint32_t turns : {1u, 2u, 3u}) {
        planes.layout.quarter_turns = turns;
        const Picture upright = on_device(planes);
        ASSERT_EQ(upright.width, turns == 2 ? 7u : 4u);
        for (uint32_t y = 0; y < 4; ++y)
            for (uint32_t x = 0; x < 7; ++x)
                EXPECT_EQ(turns == 1   ? upright.at(3 - y, x)
                          : turns == 2 ? upright.at(6 - x, 3 - y)
                                       : upright.at(y, 6 - x),
                          lying.at(x, y))
                    << turns;
    }
}

TEST_F(UnpackYuvTest, refuses_planes_that_are_too_small) {
    const Image image(device, "frame", 10, 4);
    const YuvPlanes good{.y = ids(std::vector<uint32_t>(12)),
                         .u = ids(std::vector<uint32_t>(4)),
                         .v = ids(std::vector<uint32_t>(4)),
                         .width = 10,
                         .height = 4,
                         .row_bytes = 12,
                         .chroma_row_bytes = 16,
                         .format = {},
                         .quarter_turns = 0};
    auto refused = [&](auto change) {
        YuvPlanes planes = good;
        change(planes);
        EXPECT_THROW(unpack_yuv(commands, image, planes), Error);
    };
    begin();
    unpack_yuv(commands, image, good);
    refused([](YuvPlanes& p) { p.row_bytes = 8; });
    refused([](YuvPlanes& p) { p.row_bytes = 11; });
    refused([](YuvPlanes& p) { p.chroma_row_bytes = 20; });
    refused([](YuvPlanes& p) { p.format.half_height = false; });
    refused([](YuvPlanes& p) { p.format.bits = 10; });
    refused([](YuvPlanes& p) { p.format.bits = 17; });
    refused([](YuvPlanes& p) { p.height = 2; });
    refused([](YuvPlanes& p) { p.quarter_turns = 1; });
    refused([](YuvPlanes& p) { p.u.type = Type::f32; });
    finish();
}

}  // namespace
}  // namespace saccade
