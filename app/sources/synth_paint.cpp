#include "app/sources/synth_paint.h"

#include <algorithm>
#include <cmath>

#include "app/sources/random.h"

namespace saccade {

namespace {

// All four channels of two pixels, blended; t of 256 is b. Two channels share a multiplication.
uint32_t blend(uint32_t a, uint32_t b, uint32_t t) {
    const uint32_t even = ((a & 0xff00ff) * (256 - t) + (b & 0xff00ff) * t) >> 8 & 0xff00ff;
    const uint32_t odd = ((a >> 8 & 0xff00ff) * (256 - t) + (b >> 8 & 0xff00ff) * t) & 0xff00ff00;
    return even | odd;
}

// Most of a frame's time goes by in here.
[[gnu::always_inline]] inline uint32_t bilinear(const uint32_t* pixel, int row, uint32_t fx,
                                                uint32_t fy) {
    return blend(blend(pixel[0], pixel[1], fx), blend(pixel[row], pixel[row + 1], fx), fy);
}

uint32_t scaled(uint32_t pixel, uint32_t factor) {
    return ((pixel & 0xff00ff) * factor >> 8 & 0xff00ff) |
           ((pixel >> 8 & 0xff00ff) * factor & 0xff00ff00);
}

// A place in an emoji's cell to the sprite's texel, in 256ths; false outside.
struct Texel {
    const uint32_t* pixel;
    uint32_t fx, fy;
};
bool find(const std::vector<uint32_t>& level, int side, float u, float v, Texel& texel) {
    const float x = (u + 1) * static_cast<float>(side) * 128 + 128;  // the border's texel is first
    const float y = (v + 1) * static_cast<float>(side) * 128 + 128;
    const float end = static_cast<float>((side + 1) * 256);
    if (!(x >= 0 && y >= 0 && x < end && y < end)) return false;
    const auto i = static_cast<uint32_t>(x), j = static_cast<uint32_t>(y);
    texel = {&level[size_t(j >> 8) * size_t(side + 2) + (i >> 8)], i & 255, j & 255};
    return true;
}

// 0 .. 256 within a square of this half side around the cell's centre, over a soft edge.
uint32_t square(float u, float v, float half, float edge) {
    const float inside = (half - std::max(std::abs(u), std::abs(v))) * edge + 0.5f;
    return static_cast<uint32_t>(std::clamp(inside, 0.0f, 1.0f) * 256);
}

uint32_t tinted(uint32_t pixel, const std::array<int, 3>& tint) {
    const uint32_t alpha = pixel >> 24;
    auto channel = [&](int shift, int factor) {
        const uint32_t value = (pixel >> shift & 255) * static_cast<uint32_t>(factor) >> 8;
        return std::min(value, alpha) << shift;  // colours are multiplied by alpha
    };
    return alpha << 24 | channel(16, tint[2]) | channel(8, tint[1]) | channel(0, tint[0]);
}

}  // namespace

void paint_backdrop(Texture& canvas, const Texture& backdrop, const Projection& to_backdrop) {
    // The camera only shifts, turns and zooms: steps are the same everywhere, in 65536ths.
    const double scale = std::min(backdrop.width, backdrop.height) / 2.0;
    auto fixed = [](double value) { return static_cast<int64_t>(std::floor(value * 65536 + 0.5)); };
    const auto& m = to_backdrop.m;
    const int64_t step_x = fixed(m[0][0] * scale), step_y = fixed(m[1][0] * scale);
    const int64_t most_x = (int64_t(backdrop.width) - 1) * 65536 - 1;
    const int64_t most_y = (int64_t(backdrop.height) - 1) * 65536 - 1;
    for (int y = 0; y < canvas.height; ++y) {
        const Point p = to_backdrop({0.5, y + 0.5});
        int64_t u = fixed(p.x * scale + backdrop.width / 2.0 - 0.5);
        int64_t v = fixed(p.y * scale + backdrop.height / 2.0 - 0.5);
        uint32_t* row = &canvas.at(0, y);
        for (int x = 0; x < canvas.width; ++x, u += step_x, v += step_y) {
            const auto i = static_cast<uint32_t>(std::clamp<int64_t>(u, 0, most_x));
            const auto j = static_cast<uint32_t>(std::clamp<int64_t>(v, 0, most_y));
            row[x] = bilinear(&backdrop.pixels[(j >> 16) * size_t(backdrop.width) + (i >> 16)],
                              backdrop.width, i >> 8 & 255, j >> 8 & 255);
        }
    }
}

void paint_emoji(Texture& canvas, const PlacedEmoji& object, const EmojiSprite& sprite) {
    // The level whose pixels are about as large as the frame's.
    int level = 0;
    while (level + 1 < EmojiSprite::levels && EmojiSprite::side_of(level) > 2.8 * object.half)
        ++level;
    const int side = EmojiSprite::side_of(level);
    constexpr int coarse = EmojiSprite::levels - 1;
    const auto& pixels = sprite.pixels[level];

    // The part of the frame that it can touch.
    const double reach = std::max(object.card, 1.0) + 0.1;
    double left = 1e9, top = 1e9, right = -1e9, bottom = -1e9;
    const Point shadow = object.shadow;
    for (const double u : {std::min(shadow.x, 0.0) - reach, std::max(shadow.x, 0.0) + reach})
        for (const double v : {std::min(shadow.y, 0.0) - reach, std::max(shadow.y, 0.0) + reach}) {
            const Point p = object.to_frame({u, v});
            left = std::min(left, p.x), right = std::max(right, p.x);
            top = std::min(top, p.y), bottom = std::max(bottom, p.y);
        }
    const int x0 = std::max(0, static_cast<int>(std::clamp(left, 0.0, 1e6)));
    const int y0 = std::max(0, static_cast<int>(std::clamp(top, 0.0, 1e6)));
    const int x1 = std::min(canvas.width, static_cast<int>(std::clamp(right, -1.0, 1e6)) + 1);
    const int y1 = std::min(canvas.height, static_cast<int>(std::clamp(bottom, -1.0, 1e6)) + 1);

    const auto& m = object.to_cell.m;
    float f[3][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) f[i][j] = static_cast<float>(m[i][j] / m[2][2]);
    const float card = static_cast<float>(object.card), edge = static_cast<float>(object.half);
    const auto shadow_x = static_cast<float>(shadow.x), shadow_y = static_cast<float>(shadow.y);
    const auto shade = static_cast<uint32_t>(object.shade);

    for (int y = y0; y < y1; ++y) {
        uint32_t* row = &canvas.at(0, y);
        const float py = static_cast<float>(y) + 0.5f;
        const float row_u = f[0][1] * py + f[0][2], row_v = f[1][1] * py + f[1][2];
        const float row_w = f[2][1] * py + f[2][2];
        for (int x = x0; x < x1; ++x) {
            const float px = static_cast<float>(x) + 0.5f;
            const float w = f[2][0] * px + row_w;
            if (!(w > 0)) continue;
            const float near = 1 / w;
            const float u = (f[0][0] * px + row_u) * near, v = (f[1][0] * px + row_v) * near;
            uint32_t behind = row[x];
            Texel texel;
            const float su = u - shadow_x, sv = v - shadow_y;
            if (card > 0) {
                behind = scaled(behind, 256 - (square(su, sv, card, 8) * shade >> 8));
                behind = blend(behind, object.card_colour, square(u, v, card, edge));
            } else if (find(sprite.pixels[coarse], EmojiSprite::side_of(coarse), su, sv, texel)) {
                const uint32_t alpha =
                    bilinear(texel.pixel, EmojiSprite::side_of(coarse) + 2, texel.fx, texel.fy) >>
                    24;
                behind = scaled(behind, 256 - (alpha * shade >> 8));
            }
            if (find(pixels, side, u, v, texel)) {
                const uint32_t over =
                    tinted(bilinear(texel.pixel, side + 2, texel.fx, texel.fy), object.tint);
                const uint32_t alpha = over >> 24;
                behind = (over & 0xffffff) + scaled(behind, 256 - alpha - (alpha >> 7));
            }
            row[x] = behind;
        }
    }
}

Sensor::Sensor() : noise_(1 << 16) {
    // The sum of four is close to what sensors have: most are small.
    Random random(0x5e4504);
    for (int8_t& value : noise_) {
        const uint64_t bits = random.next();
        int sum = 0;
        for (int i = 0; i < 4; ++i) sum += static_cast<int>(bits >> (16 * i) & 127);
        value = static_cast<int8_t>((sum - 254) / 4);  // about -64 .. 63
    }
}

void Sensor::expose(const Texture& canvas, const Light& light, uint64_t frame, const Slot& slot) {
    const int width = canvas.width, height = canvas.height;
    // Light across, as a product of columns and rows.
    auto along = [&light](int i, int count, int slope) {
        const int place = count > 1 ? 512 * i / (count - 1) - 256 : 0;  // -256 .. 256
        return 256 + (slope * place >> 8) - (light.vignette * place / 256 * place >> 8);
    };
    columns_.resize(size_t(width) * 3);
    for (int x = 0; x < width; ++x)
        for (int c = 0; c < 3; ++c)
            columns_[size_t(3 * x + c)] =
                along(x, width, light.slope_x) * light.tint[size_t(c)] >> 8;

    Random random(frame, 0x4015e);
    for (int y = 0; y < height; ++y) {
        const uint32_t* from = &canvas.pixels[size_t(y) * size_t(width)];
        auto* to = reinterpret_cast<uint8_t*>(slot.pixels + size_t(y) * slot.row_bytes);
        const int row = along(y, height, light.slope_y);
        constexpr int piece = 1024;  // pixels that share a stretch of noise
        for (int first = 0; first < width; first += piece) {
            const int8_t* noise = &noise_[random.below(uint32_t(noise_.size()) - 3 * piece)];
            const int end = std::min(first + piece, width);
            for (int x = first; x < end; ++x, noise += 3)
                for (int c = 0; c < 3; ++c) {
                    const int value = static_cast<int>(from[x] >> (8 * c) & 255);
                    const int lit = value * (columns_[size_t(3 * x + c)] * row >> 8) >> 8;
                    to[3 * x + c] = static_cast<uint8_t>(
                        std::clamp(lit + (noise[c] * light.noise >> 9), 0, 255));
                }
        }
    }
}

}  // namespace saccade
