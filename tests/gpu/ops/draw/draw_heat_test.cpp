#include <algorithm>
#include <cmath>

#include "gpu/ops/draw.h"
#include "shaders/draw/params.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

class DrawHeatTest : public ImageTest {
protected:
    struct Maps {
        uint32_t count, rows, columns;
        std::vector<float> cells;
        float cell(uint32_t map, int row, int column) const {
            return cells[(size_t(map) * rows + size_t(row)) * columns + size_t(column)];
        }
    };

    Tensor settings_words() { return structs(std::vector{settings}); }
    Tensor colour_words() { return ids(colours); }

    // In place over all of the picture.
    Picture on_device(const Picture& picture, const Maps& maps, const HeatPlace& place) {
        const Tensor cells = tensor(maps.count, maps.rows, maps.columns, Type::f32, maps.cells);
        return drawn(picture, [&](Commands& c, const Image& image) {
            draw_heat(c, image, image, cells, {settings_words(), colour_words()}, place);
        });
    }

    // One pixel of the picture with one map over it.
    Pixel reference(const Pixel& under, const Maps& maps, uint32_t map, const HeatPlace& place,
                    double x, double y, const Picture& picture) const {
        const double column = (x - double(place.left)) / double(place.cell_width);
        const double row = (y - double(place.top)) / double(place.cell_height);
        // The last cells extend to the edge if that is less than half a cell away and the picture
        // was not cropped.
        auto end = [](float begin, float cell, uint32_t cells, uint32_t pixels) {
            const double all = (double(pixels) - double(begin)) / double(cell);
            return begin <= 0 && all < cells + 0.5 ? std::max(all, double(cells)) : double(cells);
        };
        if (column < 0 || row < 0 ||
            column > end(place.left, place.cell_width, maps.columns, picture.width) ||
            row > end(place.top, place.cell_height, maps.rows, picture.height))
            return under;
        const auto first = maps.cells.begin() + map * maps.rows * maps.columns;
        std::vector<float> sorted(first, first + maps.rows * maps.columns);
        std::ranges::sort(sorted, std::greater());
        double all = 0, sum = 0, cut = INFINITY;
        for (float v : sorted) all += double(v);
        for (float v : sorted) {
            if (sum >= double(settings.mass) * all) break;
            sum += double(cut = double(v));
        }
        const double low = settings.scale == params::heat_scale_min_max ? double(sorted.back())
                           : settings.scale == params::heat_scale_max   ? 0
                                                                        : double(settings.lowest);
        const double high = settings.scale == params::heat_scale_fixed ? double(settings.highest)
                                                                       : double(sorted[0]);
        auto heat = [&](double r, double c) {
            const int i = std::clamp(int(r), 0, int(maps.rows) - 1);
            const int j = std::clamp(int(c), 0, int(maps.columns) - 1);
            const double v = double(maps.cell(map, i, j));
            return v >= cut ? std::clamp((v - low) / (high - low), 0.0, 1.0) : 0.0;
        };
        const double r = std::clamp(row - 0.5, 0.0, maps.rows - 1.0);
        const double c = std::clamp(column - 0.5, 0.0, maps.columns - 1.0);
        const double r0 = std::floor(r), c0 = std::floor(c), fr = r - r0, fc = c - c0;
        const double value = (heat(r0, c0) * (1 - fc) + heat(r0, c0 + 1) * fc) * (1 - fr) +
                             (heat(r0 + 1, c0) * (1 - fc) + heat(r0 + 1, c0 + 1) * fc) * fr;
        const uint32_t colour = colours[size_t(std::lround(255 * value))];
        const double alpha = (colour >> 24) / 255.0 * double(settings.opacity);
        Pixel pixel;
        for (size_t i = 0; i < 3; ++i)
            pixel[i] =
                int(std::lround(under[i] + (double(colour >> (8 * i) & 255) - under[i]) * alpha));
        return pixel;
    }
    Picture reference(const Picture& picture, const Maps& maps, const HeatPlace& place) const {
        Picture result = picture;
        for (uint32_t y = 0; y < picture.height; ++y)
            for (uint32_t x = 0; x < picture.width; ++x)
                result.at(x, y) =
                    reference(picture.at(x, y), maps, 0, place, x + 0.5, y + 0.5, picture);
        return result;
    }
    Maps random_maps(uint32_t count, uint32_t rows, uint32_t columns) {
        Maps maps{count, rows, columns, random(size_t(count) * rows * columns)};
        for (float& v : maps.cells) v = std::abs(v) + 0.01f;
        return maps;
    }

    params::HeatSettings settings{.opacity = 0.8f,
                                  .mass = 1,
                                  .lowest = 0.2f,
                                  .highest = 0.7f,
                                  .scale = params::heat_scale_max};
    std::vector<uint32_t> colours = [] {
        std::vector<uint32_t> table;  // smooth, so that rounding the heat is worth a level or two
        for (uint32_t i = 0; i < 256; ++i)
            table.push_back(i | (255 - i) << 8 | 40u << 16 | i << 24);
        return table;
    }();
};

TEST_F(DrawHeatTest, matches_plain_loops_in_every_scale) {
    const Maps maps = random_maps(1, 5, 7);
    const Picture picture = texture(66, 41);
    for (const HeatPlace& place :
         {HeatPlace{0, 0, 66 / 7.0f, 41 / 5.0f}, HeatPlace{-3.5f, 2.25f, 11, 6},
          HeatPlace{20, 10, 3, 3}, HeatPlace{-4.5f, -3.5f, 9.5f, 8}, HeatPlace{0, 0, 8, 7}})
        for (uint32_t scale :
             {params::heat_scale_fixed, params::heat_scale_max, params::heat_scale_min_max})
            for (float mass : {1.0f, 0.4f}) {
                settings.scale = scale;
                settings.mass = mass;
                EXPECT_LE(on_device(picture, maps, place).distance(reference(picture, maps, place)),
                          3)
                    << "scale " << scale << " mass " << mass << " left " << place.left;
            }
}

TEST_F(DrawHeatTest, is_hottest_where_the_map_is_and_leaves_the_rest_alone) {
    Maps maps{1, 4, 4, std::vector<float>(16)};
    maps.cells[1 * 4 + 2] = 3;  // second row, third column
    const Picture got = on_device(Picture(40, 40), maps, {0, 0, 10, 10});
    EXPECT_GT(got.at(25, 15)[0], 150);
    EXPECT_EQ(got.at(5, 15), (Pixel{0, 0, 0}));
    EXPECT_EQ(got.at(25, 35), (Pixel{0, 0, 0}));
}

TEST_F(DrawHeatTest, the_last_cells_reach_to_the_edge_unless_the_picture_was_cropped) {
    Maps maps{1, 3, 3, std::vector<float>(9)};
    maps.cells[8] = 1;  // the last
    // As in DETR: strides of 16, each cell centred on its first pixel.
    const Picture whole = on_device(Picture(48, 48), maps, {-7.5f, -7.5f, 16, 16});
    const Pixel hottest = whole.at(40, 40);
    EXPECT_GT(hottest[0], 150);
    for (const auto& [x, y] : {std::pair{47, 40}, std::pair{40, 47}, std::pair{47, 47}})
        EXPECT_EQ(whole.at(uint32_t(x), uint32_t(y)), hottest) << x << ", " << y;
    const Picture cropped = on_device(Picture(48, 48), maps, {4, 4, 13, 13});
    EXPECT_GT(cropped.at(42, 42)[0], 150);
    EXPECT_EQ(cropped.at(44, 44), (Pixel{0, 0, 0}));
}

TEST_F(DrawHeatTest, without_opacity_the_picture_stays_as_it_is) {
    settings.opacity = 0;
    const Picture picture = texture(20, 20);
    EXPECT_EQ(on_device(picture, random_maps(1, 2, 2), {0, 0, 10, 10}).distance(picture), 0);
}

TEST_F(DrawHeatTest, a_map_of_nothing_or_of_no_numbers_does_no_harm) {
    const Picture picture = texture(12, 12);
    EXPECT_EQ(on_device(picture, {1, 2, 2, {0, 0, 0, 0}}, {0, 0, 6, 6}).distance(picture), 0);
    EXPECT_EQ(on_device(picture, {1, 2, 2, {NAN, NAN, NAN, NAN}}, {0, 0, 6, 6}).distance(picture),
              0);
}

TEST_F(DrawHeatTest, several_maps_are_tiles_over_the_picture) {
    const Maps maps = random_maps(5, 3, 4);
    const Tensor cells = tensor(5, 3, 4, Type::f32, maps.cells);
    const Picture thumbnail = texture(18, 10);
    const HeatPlace place{0, 0, 4.5f, 10 / 3.0f};
    const Frame small(device, 18, 10, false);
    {
        std::vector<uint8_t> bytes;
        for (const Pixel& pixel : thumbnail.pixels)
            for (int channel : pixel) bytes.push_back(uint8_t(channel));
        Frame& writable = const_cast<Frame&>(small);
        writable.write({bytes.data(), 18, 10, 54, false});
    }
    const Picture got = drawn(Picture(61, 40, {9, 9, 9}), [&](Commands& c, const Image& image) {
        small.record(c);
        draw_heat(c, image, small.image(), cells, {settings_words(), colour_words()}, place,
                  {.across = 3, .top = 7, .pitch_x = 20, .pitch_y = 12});
    });
    Picture want(61, 40, {9, 9, 9});
    for (uint32_t map = 0; map < 5; ++map)
        for (uint32_t y = 0; y < 10; ++y)
            for (uint32_t x = 0; x < 18; ++x)
                want.at(map % 3 * 20 + x, 7 + map / 3 * 12 + y) =
                    reference(thumbnail.at(x, y), maps, map, place, x + 0.5, y + 0.5, thumbnail);
    EXPECT_LE(got.distance(want), 3);
}

TEST_F(DrawHeatTest, refuses_tiles_that_do_not_fit) {
    const Image image(device, "frame", 20, 10), tile(device, "tile", 8, 5);
    const Tensor two = random_tensor(2, 2, 2, Type::f32);
    auto draw = [&](const Image& picture, const HeatTiles& tiles) {
        draw_heat(commands, image, picture, two, {settings_words(), colour_words()}, {}, tiles);
    };
    begin();
    draw(tile, {.across = 2, .pitch_x = 12, .pitch_y = 5});
    draw(tile, {.across = 1, .pitch_x = 12, .pitch_y = 5});
    EXPECT_THROW(draw(tile, {.across = 2, .pitch_x = 13, .pitch_y = 5}), Error);
    EXPECT_THROW(draw(tile, {.across = 1, .pitch_x = 12, .pitch_y = 6}), Error);
    EXPECT_THROW(draw(tile, {.across = 1, .top = 1, .pitch_x = 12, .pitch_y = 5}), Error);
    EXPECT_THROW(draw(tile, {.across = 0, .pitch_x = 12, .pitch_y = 5}), Error);
    EXPECT_THROW(draw(image, {}), Error) << "two maps in one place";
    const auto draw_in_one_colour = [&] {
        draw_heat(commands, image, image, two.at_batch(0), {settings_words(), ids(std::vector{1u})},
                  {});
    };
    EXPECT_THROW(draw_in_one_colour(), Error) << "colours are missing";
    finish();
}

}  // namespace
}  // namespace saccade
