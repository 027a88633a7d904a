#include "gpu/ops/pictures.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

class PackYuvTest : public ImageTest {
protected:
    // The kernel's result for a picture, plane by plane and without padding.
    std::array<std::vector<int>, 3> planes_of(const Picture& picture, Chroma chroma) {
        const PlanarReadback back(device, {picture.width, picture.height, chroma});
        drawn(picture, [&](Commands& c, const Image& image) { back.record(c, image); });
        const PlanarView view = back.picture();
        std::array<std::vector<int>, 3> planes;
        for (size_t i = 0; i < 3; ++i) {
            const PlaneLayout::Plane plane = view.layout.planes()[i];
            for (uint32_t y = 0; y < plane.height; ++y)
                for (uint32_t x = 0; x < plane.width; ++x)
                    planes[i].push_back(view.memory[plane.begin + y * plane.row_bytes + x]);
        }
        return planes;
    }

    // The formula itself, of the mean of the pixels that share a colour.
    static double wanted(const Picture& picture, size_t plane, uint32_t x, uint32_t y,
                         uint32_t shared) {
        double rgb[3] = {};
        for (uint32_t i = 0; i < shared * shared; ++i) {
            const Pixel& pixel = picture.at(std::min(x * shared + i % shared, picture.width - 1),
                                            std::min(y * shared + i / shared, picture.height - 1));
            for (size_t c = 0; c < 3; ++c) rgb[c] += pixel[c] / 255.0 / (shared * shared);
        }
        const double luma = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
        if (plane == 0) return 16 + 219 * luma;
        return 128 + (plane == 1 ? 224 * (rgb[2] - luma) / 1.772 : 224 * (rgb[0] - luma) / 1.402);
    }
    void expect_formula(const Picture& picture, Chroma chroma) {
        const auto planes = planes_of(picture, chroma);
        for (size_t i = 0; i < 3; ++i) {
            const uint32_t shared = i > 0 && chroma == Chroma::halved ? 2 : 1;
            const uint32_t across = (picture.width + shared - 1) / shared;
            ASSERT_EQ(planes[i].size(), size_t(across) * ((picture.height + shared - 1) / shared));
            double worst = 0;
            for (size_t j = 0; j < planes[i].size(); ++j)
                worst =
                    std::max(worst, std::abs(planes[i][j] - wanted(picture, i, uint32_t(j % across),
                                                                   uint32_t(j / across), shared)));
            EXPECT_LT(worst, 0.51)
                << "plane " << i << " of " << picture.width << "x" << picture.height;
        }
    }
};

TEST_F(PackYuvTest, is_the_formula_rounded_for_all_sizes_and_both_kinds_of_colour) {
    for (Size size :
         {Size{1, 1}, Size{7, 5}, Size{198, 3}, Size{2, 9}, Size{64, 48}, Size{2, 2}, Size{10, 4}})
        for (Chroma chroma : {Chroma::full, Chroma::halved})
            expect_formula(texture(size.x, size.y), chroma);
}

TEST_F(PackYuvTest, keeps_black_white_and_grey_free_of_colour_and_within_the_range) {
    Picture greys(512, 2);
    for (uint32_t y = 0; y < 2; ++y)
        for (uint32_t x = 0; x < 512; ++x) greys.at(x, y) = {int(x) / 2, int(x) / 2, int(x) / 2};
    const auto planes = planes_of(greys, Chroma::halved);
    EXPECT_EQ(planes[0].front(), 16);
    EXPECT_EQ(planes[0][511], 235);
    EXPECT_EQ(planes[1], std::vector<int>(256, 128));
    EXPECT_EQ(planes[2], std::vector<int>(256, 128));
    expect_formula(Picture(8, 2, {255, 0, 0}), Chroma::full);
    expect_formula(Picture(8, 2, {0, 255, 0}), Chroma::full);
    expect_formula(Picture(8, 2, {0, 0, 255}), Chroma::halved);
}

TEST_F(PackYuvTest, writes_some_rows_and_nothing_beside_them) {
    const Picture picture = texture(6, 9);
    const Tensor luma = poisoned(1, 1, 4 * 2, Type::u32), blue = poisoned(1, 1, 3, Type::u32),
                 red = poisoned(1, 1, 2, Type::u32);
    const uint32_t untouched = words(blue)[2];
    drawn(picture, [&](Commands& c, const Image& image) {
        pack_yuv(c,
                 {.luma = luma,
                  .blue = blue,
                  .red = red,
                  .luma_row_bytes = 8,
                  .chroma_row_bytes = 4,
                  .first_row = 4,
                  .rows = 4},
                 image);
    });
    auto byte = [](const std::vector<uint32_t>& in, uint32_t row_words, uint32_t x, uint32_t y) {
        return int(in[y * row_words + x / 4] >> (8 * (x % 4)) & 255);
    };
    const auto ys = words(luma), us = words(blue), vs = words(red);
    for (uint32_t y = 0; y < 4; ++y)
        for (uint32_t x = 0; x < 6; ++x)
            EXPECT_NEAR(byte(ys, 2, x, y), wanted(picture, 0, x, 4 + y, 1), 0.51);
    for (uint32_t y = 0; y < 2; ++y)
        for (uint32_t x = 0; x < 3; ++x) {
            EXPECT_NEAR(byte(us, 1, x, y), wanted(picture, 1, x, 2 + y, 2), 0.51);
            EXPECT_NEAR(byte(vs, 1, x, y), wanted(picture, 2, x, 2 + y, 2), 0.51);
        }
    EXPECT_EQ(us[2], untouched);
}

TEST_F(PackYuvTest, refuses_what_does_not_fit) {
    const Image image(device, "frame", 10, 4);
    const Tensor luma = poisoned(1, 1, 12, Type::u32), chroma = poisoned(1, 1, 4, Type::u32);
    const YuvRows right{.luma = luma,
                        .blue = chroma,
                        .red = chroma,
                        .luma_row_bytes = 12,
                        .chroma_row_bytes = 8,
                        .rows = 4};
    auto refused = [&](auto change) {
        YuvRows rows = right;
        change(rows);
        EXPECT_THROW(pack_yuv(commands, rows, image), Error);
    };
    begin();
    refused([](YuvRows& rows) { rows.luma_row_bytes = 8; });
    refused([](YuvRows& rows) { rows.luma_row_bytes = 10; });
    refused([](YuvRows& rows) { rows.luma_row_bytes = 20; });
    refused([](YuvRows& rows) { rows.halved = false; });
    refused([](YuvRows& rows) { rows.first_row = 2; });
    refused([](YuvRows& rows) { rows.first_row = 1, rows.rows = 2; });
    refused([](YuvRows& rows) { rows.rows = 3; });
    EXPECT_THROW(PlanarReadback(device, {11, 4}).record(commands, image), Error);
    finish();
}

}  // namespace
}  // namespace saccade
