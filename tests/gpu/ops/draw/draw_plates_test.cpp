#include <algorithm>
#include <cmath>

#include "gpu/ops/draw.h"
#include "shaders/draw/params.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

constexpr params::Plate empty{0, 0, 0, 0, 0, 0, 0, 0, 0, params::no_run, 0, 0};

uint32_t halves(int x, int y) { return (uint32_t(x) & 0xffff) | uint32_t(y) << 16; }

class DrawPlatesTest : public ImageTest {
protected:
    static constexpr uint32_t side = 16;

    Picture on_device(const Picture& picture, const std::vector<params::Plate>& plates) {
        const Tensor list = structs(plates, {uint32_t(plates.size()), 9, 9, 9});
        std::vector<uint32_t> atlas_words(side * side / 4);
        for (size_t i = 0; i < atlas.size(); ++i)
            atlas_words[i / 4] |= uint32_t(atlas[i]) << (8 * (i % 4));
        const Texts texts{structs(runs), structs(glyphs), ids(atlas_words), side};
        return drawn(picture,
                     [&](Commands& c, const Image& image) { draw_plates(c, image, list, texts); });
    }

    static void blend(Pixel& pixel, uint32_t colour, double alpha) {
        for (size_t c = 0; c < 3; ++c) {
            const double ink = double(colour >> (8 * c) & 255);
            pixel[c] = int(std::lround(pixel[c] + (ink - pixel[c]) * alpha));
        }
    }
    static double alpha_of(uint32_t colour) { return (colour >> 24) / 255.0; }

    Picture reference(Picture picture, const std::vector<params::Plate>& plates) const {
        for (const params::Plate& plate : plates)
            for (uint32_t y = 0; y < picture.height; ++y)
                for (uint32_t x = 0; x < picture.width; ++x) draw(picture.at(x, y), plate, x, y);
        return picture;
    }
    void draw(Pixel& pixel, const params::Plate& plate, uint32_t x, uint32_t y) const {
        const double px = x + 0.5, py = y + 0.5;
        const double half_w = (double(plate.right) - double(plate.left)) / 2;
        const double half_h = (double(plate.bottom) - double(plate.top)) / 2;
        if (half_w <= 0 || half_h <= 0) return;
        const double r = std::min({double(plate.radius), half_w, half_h});
        const double dx = std::abs(px - double(plate.left) - half_w) - half_w + r;
        const double dy = std::abs(py - double(plate.top) - half_h) - half_h + r;
        const double edge =
            std::hypot(std::max(dx, 0.0), std::max(dy, 0.0)) + std::min(std::max(dx, dy), 0.0) - r;
        const double outer = std::clamp(0.5 - edge, 0.0, 1.0);
        const double inner = alpha_of(plate.frame) > 0
                                 ? std::clamp(0.5 - edge - double(plate.frame_width), 0.0, 1.0)
                                 : outer;
        const double fill = inner * alpha_of(plate.fill);
        const double frame = (outer - inner) * alpha_of(plate.frame);
        if (px + 0.5 <= double(plate.left) || py + 0.5 <= double(plate.top) ||
            px - 0.5 >= double(plate.right) || py - 0.5 >= double(plate.bottom))
            return;
        const Pixel before = pixel;
        for (size_t c = 0; c < 3; ++c)
            pixel[c] = int(std::lround(before[c] * (1 - fill - frame) +
                                       fill * double(plate.fill >> (8 * c) & 255) +
                                       frame * double(plate.frame >> (8 * c) & 255)));
        if (plate.run == params::no_run) return;
        const params::Run& run = runs[plate.run];
        for (uint32_t i = run.first; i < run.first + run.count; ++i) {
            const params::Glyph& g = glyphs[i];
            const int gx = int(x) - plate.text_x - int16_t(g.place & 0xffff);
            const int gy = int(y) - plate.text_y - int16_t(g.place >> 16);
            if (gx < 0 || gy < 0 || gx >= int(g.size & 0xffff) || gy >= int(g.size >> 16)) continue;
            const size_t at =
                (size_t(g.source >> 16) + size_t(gy)) * side + (g.source & 0xffff) + size_t(gx);
            const uint32_t ink = g.ink ? g.ink : plate.ink;
            blend(pixel, ink, atlas[at] / 255.0 * alpha_of(ink));
        }
    }

    std::vector<uint8_t> atlas = [] {
        std::vector<uint8_t> bytes(side * side);
        for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = uint8_t(i * 37 % 256);
        return bytes;
    }();
    std::vector<params::Glyph> glyphs = {
        {halves(0, 0), halves(0, 0), halves(5, 7), 0},
        {halves(6, -2), halves(5, 3), halves(3, 9), 0x80ff00ff},
        {halves(-3, 4), halves(9, 0), halves(7, 4), 0},
    };
    std::vector<params::Run> runs = {{0, 3, 20, 0}, {1, 1, 10, 0}, {2, 0, 0, 0}};
};

TEST_F(DrawPlatesTest, a_frame_has_its_pixels_where_they_must_be_and_no_others) {
    params::Plate plate = empty;
    plate.left = 3, plate.top = 4, plate.right = 13, plate.bottom = 11;
    plate.frame = 0xff0000ff, plate.frame_width = 2;
    const Picture got = on_device(Picture(20, 16, {1, 2, 3}), {plate});
    for (uint32_t y = 0; y < 16; ++y)
        for (uint32_t x = 0; x < 20; ++x) {
            const bool inside = x >= 3 && x < 13 && y >= 4 && y < 11;
            const bool hole = x >= 5 && x < 11 && y >= 6 && y < 9;
            EXPECT_EQ(got.at(x, y), (inside && !hole ? Pixel{255, 0, 0} : Pixel{1, 2, 3}))
                << x << " " << y;
        }
}

TEST_F(DrawPlatesTest, matches_plain_loops_with_round_corners_text_and_overlap) {
    std::vector<params::Plate> plates;
    auto add = [&](auto change) {
        plates.push_back(empty);
        change(plates.back());
    };
    add([](params::Plate& p) {  // larger than a tile, semi-transparent
        p.left = 2.25f, p.top = 1.5f, p.right = 140, p.bottom = 37.75f;
        p.fill = 0xa0402010, p.radius = 9;
    });
    add([](params::Plate& p) {
        p.left = 30, p.top = 10, p.right = 60, p.bottom = 45;
        p.frame = 0xc000ff80, p.fill = 0x30ffffff, p.frame_width = 3, p.radius = 5;
    });
    add([](params::Plate& p) {  // text, cut at the right
        p.left = 20, p.top = 5, p.right = 34, p.bottom = 30;
        p.fill = 0x60000000, p.ink = 0xffffffff, p.run = 0, p.text_x = 22, p.text_y = 9;
    });
    add([](params::Plate& p) {  // text alone
        p.left = 100, p.top = 10, p.right = 150, p.bottom = 40;
        p.ink = 0xff2080ff, p.run = 1, p.text_x = 120, p.text_y = 20;
    });
    add([](params::Plate& p) {  // smaller than its corners
        p.left = 70, p.top = 20, p.right = 73, p.bottom = 22;
        p.fill = 0xff00ffff, p.radius = 30;
    });
    for (Size size : {Size{160, 48}, Size{33, 17}, Size{1, 1}, Size{131, 100}}) {
        const Picture picture = texture(size.x, size.y);
        EXPECT_LE(on_device(picture, plates).distance(reference(picture, plates)), 2)
            << size.x << "x" << size.y;
    }
}

TEST_F(DrawPlatesTest, later_plates_lie_over_earlier_ones_however_many_there_are) {
    std::vector<params::Plate> plates;
    for (uint32_t i = 0; i < 3000; ++i) {
        params::Plate plate = empty;
        plate.left = float(i % 40), plate.top = float(i % 23);
        plate.right = plate.left + 5, plate.bottom = plate.top + 4;
        plate.fill = 0xff000000 | i * 2654435761u >> 8;
        plates.push_back(plate);
    }
    const Picture picture(45, 30);
    EXPECT_EQ(on_device(picture, plates).distance(reference(picture, plates)), 0);
}

TEST_F(DrawPlatesTest, what_reaches_beyond_the_image_or_is_no_rectangle_does_no_harm) {
    std::vector<params::Plate> plates;
    for (float far : {20.0f, 1e9f, INFINITY}) {
        params::Plate plate = empty;
        plate.left = plate.top = -far, plate.right = plate.bottom = far;
        plate.frame = 0xff00ff00, plate.frame_width = 2;
        plates.push_back(plate);
        std::swap(plate.left, plate.right);  // inside out
        plate.fill = 0xffffffff;
        plates.push_back(plate);
    }
    params::Plate plate = empty;
    plate.left = plate.top = NAN, plate.right = plate.bottom = NAN;
    plate.fill = 0xffffffff;
    plates.push_back(plate);
    const Picture picture = texture(15, 11);
    EXPECT_EQ(on_device(picture, plates).distance(picture), 0);
}

TEST_F(DrawPlatesTest, an_empty_list_leaves_the_picture_as_it_is) {
    const Picture picture = texture(70, 20);
    EXPECT_EQ(on_device(picture, {}).distance(picture), 0);
}

TEST_F(DrawPlatesTest, refuses_an_atlas_that_is_not_all_there) {
    const Image image(device, "frame", 8, 8);
    const Tensor words = poisoned(1, 1, 16, Type::u32);
    begin();
    EXPECT_THROW(draw_plates(commands, image, words, {words, words, words, 16}), Error);
    EXPECT_THROW(
        draw_plates(commands, image, random_tensor(1, 1, 64, Type::f32), {words, words, words, 8}),
        Error);
    finish();
}

}  // namespace
}  // namespace saccade
