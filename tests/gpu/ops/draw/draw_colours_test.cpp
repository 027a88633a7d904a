#include <algorithm>
#include <cmath>

#include "gpu/ops/draw.h"
#include "shaders/draw/params.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

class DrawColoursTest : public ImageTest {
protected:
    Picture on_device(const Picture& picture, const std::vector<float>& cells, Size grid,
                      const HeatPlace& place, float opacity) {
        const Tensor maps = tensor(3, grid.y, grid.x, Type::f32, cells);
        params::HeatSettings heat{};
        heat.opacity = opacity;
        const Tensor settings = structs(std::vector{heat});
        return drawn(picture, [&](Commands& c, const Image& image) {
            draw_colours(c, image, maps, settings, place);
        });
    }
    static Picture reference(const Picture& picture, const std::vector<float>& cells, Size grid,
                             const HeatPlace& place, float opacity) {
        Picture result = picture;
        auto reach = [](float begin, float cell, uint32_t count, uint32_t pixels) {
            const float end = begin + cell * float(count);
            return begin <= 0 && float(pixels) - end < 0.5f * cell ? std::max(end, float(pixels))
                                                                   : end;
        };
        const float right = reach(place.left, place.cell_width, grid.x, picture.width);
        const float bottom = reach(place.top, place.cell_height, grid.y, picture.height);
        for (uint32_t y = 0; y < picture.height; ++y)
            for (uint32_t x = 0; x < picture.width; ++x) {
                const float px = float(x) + 0.5f, py = float(y) + 0.5f;
                if (px < place.left || py < place.top || px > right || py > bottom) continue;
                const double u =
                    std::clamp((double(px) - double(place.left)) / double(place.cell_width) - 0.5,
                               0.0, grid.x - 1.0);
                const double v =
                    std::clamp((double(py) - double(place.top)) / double(place.cell_height) - 0.5,
                               0.0, grid.y - 1.0);
                const auto u0 = size_t(u), v0 = size_t(v);
                const size_t u1 = std::min(u0 + 1, size_t(grid.x) - 1);
                const size_t v1 = std::min(v0 + 1, size_t(grid.y) - 1);
                const double fu = u - double(u0), fv = v - double(v0);
                for (size_t k = 0; k < 3; ++k) {
                    auto cell = [&](size_t row, size_t column) {
                        return double(cells[(k * grid.y + row) * grid.x + column]);
                    };
                    const double value = std::lerp(std::lerp(cell(v0, u0), cell(v0, u1), fu),
                                                   std::lerp(cell(v1, u0), cell(v1, u1), fu), fv);
                    int& channel = result.at(x, y)[k];
                    channel =
                        int(std::lround(std::lerp(double(channel), 255 * value, double(opacity))));
                }
            }
        return result;
    }
};

TEST_F(DrawColoursTest, matches_plain_loops) {
    const Size grid{7, 5};
    std::vector<float> cells = random(3 * 35);
    for (float& v : cells) v = std::abs(v);
    const Picture picture = texture(66, 41);
    for (const HeatPlace& place :
         {HeatPlace{0, 0, 66 / 7.0f, 41 / 5.0f}, HeatPlace{-3.5f, 2.25f, 11, 6},
          HeatPlace{20, 10, 3, 3}, HeatPlace{-4.5f, -3.5f, 9.5f, 8}})
        for (float opacity : {1.0f, 0.6f})
            EXPECT_LE(on_device(picture, cells, grid, place, opacity)
                          .distance(reference(picture, cells, grid, place, opacity)),
                      1)
                << "left " << place.left << ", opacity " << opacity;
}

TEST_F(DrawColoursTest, without_opacity_the_picture_stays_as_it_is) {
    const Picture picture = texture(20, 20);
    EXPECT_EQ(on_device(picture, random(12), {2, 2}, {0, 0, 10, 10}, 0).distance(picture), 0);
}

TEST_F(DrawColoursTest, refuses_anything_but_three_maps) {
    drawn(texture(8, 8), [&](Commands& c, const Image& image) {
        const Tensor settings = structs(std::vector{params::HeatSettings{}});
        EXPECT_THROW(draw_colours(c, image, random_tensor(2, 2, 2, Type::f32), settings, {}),
                     Error);
    });
}

}  // namespace
}  // namespace saccade
