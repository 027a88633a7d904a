#include "app/sources/synth/paint.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>

#include "app/sources/synth/random.h"

namespace saccade {

namespace {

// The four 8-bit channels of a pixel in 16-bit lanes, so that one multiplication serves all four.
// Sums of products with weights up to 256 stay within a lane.
using Channels = uint64_t;
constexpr Channels channel_bits = 0x00ff00ff00ff00ff;

Channels spread(uint32_t pixel) { return (pixel | Channels(pixel) << 24) & channel_bits; }
uint32_t packed(Channels channels) {
    return static_cast<uint32_t>((channels & 0xff00ff) | (channels >> 24 & 0xff00ff00));
}

// Linear interpolation; t = 256 is b.
Channels blend(Channels a, Channels b, uint32_t t) {
    return ((a << 8) + (b - a) * t) >> 8 & channel_bits;
}

Channels scaled(Channels channels, uint32_t factor) {
    return channels * factor >> 8 & channel_bits;
}

// Most of a frame's time is spent here.
[[gnu::always_inline]] inline Channels bilinear(const uint32_t* pixel, size_t row, uint32_t fx,
                                                uint32_t fy) {
    return blend(blend(spread(pixel[0]), spread(pixel[1]), fx),
                 blend(spread(pixel[row]), spread(pixel[row + 1]), fx), fy);
}

// The coverage, 0 .. 256, of a square of this half side around the cell's centre, with a soft edge.
uint32_t square(float u, float v, float half, float edge) {
    const float inside = (half - std::max(std::abs(u), std::abs(v))) * edge + 0.5f;
    return static_cast<uint32_t>(std::clamp(inside, 0.0f, 1.0f) * 256);
}

uint32_t tinted(uint32_t pixel, const std::array<int, 3>& tint) {
    const uint32_t alpha = pixel >> 24;
    auto channel = [&](int shift, int factor) {
        const uint32_t value = (pixel >> shift & 255) * static_cast<uint32_t>(factor) >> 8;
        return std::min(value, alpha) << shift;  // premultiplied alpha
    };
    return alpha << 24 | channel(16, tint[2]) | channel(8, tint[1]) | channel(0, tint[0]);
}

}  // namespace

void paint_backdrop(Texture& canvas, Rows rows, const Texture& backdrop,
                    const glm::dmat3& to_backdrop) {
    // The camera only shifts, turns and zooms, so the steps are constant; in 16.16 fixed point.
    const double scale = std::min(backdrop.width, backdrop.height) / 2.0;
    auto fixed = [](double value) { return static_cast<int64_t>(std::floor(value * 65536 + 0.5)); };
    const int64_t step_x = fixed(to_backdrop[0].x * scale);
    const int64_t step_y = fixed(to_backdrop[0].y * scale);
    const int64_t most_x = (int64_t(backdrop.width) - 1) * 65536 - 1;
    const int64_t most_y = (int64_t(backdrop.height) - 1) * 65536 - 1;
    const uint32_t* pixels = backdrop.pixels.data();
    const auto width = static_cast<size_t>(backdrop.width);
    auto pixel_at = [pixels, width](int64_t u, int64_t v) {
        const auto i = static_cast<uint32_t>(u), j = static_cast<uint32_t>(v);
        return packed(
            bilinear(pixels + (j >> 16) * width + (i >> 16), width, i >> 8 & 255, j >> 8 & 255));
    };
    for (int y = rows.first; y < rows.end; ++y) {
        const glm::dvec2 p = project(to_backdrop, {0.5, y + 0.5});
        int64_t u = fixed(p.x * scale + backdrop.width / 2.0 - 0.5);
        int64_t v = fixed(p.y * scale + backdrop.height / 2.0 - 0.5);
        uint32_t* row = &canvas.at(0, y);
        auto within = [](int64_t value, int64_t most) { return value >= 0 && value <= most; };
        const int64_t last_u = u + step_x * (canvas.width - 1);
        const int64_t last_v = v + step_y * (canvas.width - 1);
        if (within(u, most_x) && within(last_u, most_x) && within(v, most_y) &&
            within(last_v, most_y)) {
            for (int x = 0; x < canvas.width; ++x, u += step_x, v += step_y)
                row[x] = pixel_at(u, v);
        } else {
            for (int x = 0; x < canvas.width; ++x, u += step_x, v += step_y)
                row[x] =
                    pixel_at(std::clamp<int64_t>(u, 0, most_x), std::clamp<int64_t>(v, 0, most_y));
        }
    }
}

EmojiPainter::EmojiPainter(const PlacedEmoji& object, const EmojiSprite& sprite, Size canvas)
    : sprite_(sprite),
      card_colour_(object.card_colour),
      shade_(static_cast<uint32_t>(object.shade)),
      tint_(object.tint),
      card_(static_cast<float>(object.card)),
      edge_(static_cast<float>(object.half)),
      shadow_(object.shadow) {
    // The mip level whose texels are about as large as the frame's pixels.
    while (level_ + 1 < EmojiSprite::levels && EmojiSprite::side_of(level_) > 2.8 * object.half)
        ++level_;

    // Its bounds on the canvas.
    const double reach = std::max(object.card, 1.0) + 0.1;
    glm::dvec2 low{1e9}, high{-1e9};
    const glm::dvec2 shadow = object.shadow;
    for (const double u : {std::min(shadow.x, 0.0) - reach, std::max(shadow.x, 0.0) + reach})
        for (const double v : {std::min(shadow.y, 0.0) - reach, std::max(shadow.y, 0.0) + reach}) {
            const glm::dvec2 p = project(object.to_frame, {u, v});
            low = glm::min(low, p);
            high = glm::max(high, p);
        }
    const int width = static_cast<int>(canvas.x), height = static_cast<int>(canvas.y);
    left_ = std::max(0, static_cast<int>(std::clamp(low.x, 0.0, 1e6)));
    top_ = std::max(0, static_cast<int>(std::clamp(low.y, 0.0, 1e6)));
    right_ = std::min(width, static_cast<int>(std::clamp(high.x, -1.0, 1e6)) + 1);
    bottom_ = std::min(height, static_cast<int>(std::clamp(high.y, -1.0, 1e6)) + 1);

    to_cell_ = glm::mat3(object.to_cell / object.to_cell[2][2]);
}

// The coordinates of a stretch of a row in the emoji's cell.
struct EmojiPainter::Stretch {
    static constexpr int size = 64;
    float w[size], u[size], v[size];       // w <= 0: behind the camera
    float x[size], y[size];                // in the sprite's mip level, in 256ths of a texel
    float shadow_x[size], shadow_y[size];  // in the coarsest level
};

void EmojiPainter::find(Stretch& places, int first, int y) const {
    const glm::vec3 per_pixel = to_cell_[0];
    const glm::vec3 row = to_cell_[1] * (static_cast<float>(y) + 0.5f) + to_cell_[2];
    const glm::vec2 shadow = shadow_;
    const float side = static_cast<float>(EmojiSprite::side_of(level_));
    const float coarse = static_cast<float>(EmojiSprite::side_of(coarse_level));
    for (int i = 0; i < Stretch::size; ++i) {
        const float px = static_cast<float>(first + i) + 0.5f;
        const float w = per_pixel.z * px + row.z;
        const float near = 1 / w;
        const float u = (per_pixel.x * px + row.x) * near, v = (per_pixel.y * px + row.y) * near;
        places.w[i] = w, places.u[i] = u, places.v[i] = v;
        places.x[i] = (u + 1) * side * 128 + 128;  // the border's texel is first
        places.y[i] = (v + 1) * side * 128 + 128;
        places.shadow_x[i] = (u - shadow.x + 1) * coarse * 128 + 128;
        places.shadow_y[i] = (v - shadow.y + 1) * coarse * 128 + 128;
    }
}

namespace {

// One mip level of a sprite.
struct Level {
    const uint32_t* pixels;
    size_t row;
    float end;  // of places, in 256ths of a texel

    Level(const EmojiSprite& sprite, int level)
        : pixels(sprite.pixels[level].data()),
          row(static_cast<size_t>(EmojiSprite::side_of(level) + 2)),
          end(static_cast<float>((EmojiSprite::side_of(level) + 1) * 256)) {}

    // 0 outside, and where the sprite is transparent.
    [[gnu::always_inline]] Channels at(float x, float y) const {
        if (!(x >= 0 && y >= 0 && x < end && y < end)) return 0;
        const auto i = static_cast<uint32_t>(x), j = static_cast<uint32_t>(y);
        const uint32_t* pixel = pixels + (j >> 8) * row + (i >> 8);
        if ((pixel[0] | pixel[1] | pixel[row] | pixel[row + 1]) == 0) return 0;
        return bilinear(pixel, row, i & 255, j & 255);
    }
};

}  // namespace

void EmojiPainter::paint_card(uint32_t* row, const Stretch& places, int count) const {
    const Channels colour = spread(card_colour_);
    for (int i = 0; i < count; ++i) {
        if (!(places.w[i] > 0)) continue;
        const float u = places.u[i], v = places.v[i];
        const uint32_t dark = square(u - shadow_.x, v - shadow_.y, card_, 8) * shade_ >> 8;
        row[i] =
            packed(blend(scaled(spread(row[i]), 256 - dark), colour, square(u, v, card_, edge_)));
    }
}

void EmojiPainter::paint_shadow(uint32_t* row, const Stretch& places, int count) const {
    const Level level(sprite_, coarse_level);
    for (int i = 0; i < count; ++i) {
        if (!(places.w[i] > 0)) continue;
        const uint32_t alpha = packed(level.at(places.shadow_x[i], places.shadow_y[i])) >> 24;
        if (alpha > 0) row[i] = packed(scaled(spread(row[i]), 256 - (alpha * shade_ >> 8)));
    }
}

void EmojiPainter::paint_sprite(uint32_t* row, const Stretch& places, int count) const {
    const Level level(sprite_, level_);
    const std::array<int, 3> tint = tint_;
    for (int i = 0; i < count; ++i) {
        if (!(places.w[i] > 0)) continue;
        const uint32_t front = tinted(packed(level.at(places.x[i], places.y[i])), tint);
        const uint32_t alpha = front >> 24;
        if (alpha == 0) continue;  // premultiplied: it adds nothing
        const Channels behind = scaled(spread(row[i]), 256 - alpha - (alpha >> 7));
        row[i] = (front & 0xffffff) + packed(behind);
    }
}

void EmojiPainter::paint(Texture& canvas, Rows rows) const {
    Stretch places;
    for (int y = std::max(rows.first, top_); y < std::min(rows.end, bottom_); ++y)
        for (int first = left_; first < right_; first += Stretch::size) {
            find(places, first, y);
            uint32_t* row = &canvas.at(first, y);
            const int count = std::min(Stretch::size, right_ - first);
            if (card_ > 0)
                paint_card(row, places, count);
            else
                paint_shadow(row, places, count);
            paint_sprite(row, places, count);
        }
}

Sensor::Sensor() : noise_(1 << 16) {
    // The sum of four uniform values is close to a normal distribution.
    Random random(0x5e4504);
    for (int8_t& value : noise_) {
        const uint64_t bits = random.next();
        int sum = 0;
        for (int i = 0; i < 4; ++i) sum += static_cast<int>(bits >> (16 * i) & 127);
        value = static_cast<int8_t>((sum - 254) / 4);  // about -64 .. 63
    }
}

void Sensor::set(const Light& light, uint64_t frame, Size size) {
    light_ = light;
    frame_ = frame;
    columns_.resize(size_t(size.x) * 3);
    for (uint32_t x = 0; x < size.x; ++x)
        for (size_t c = 0; c < 3; ++c)
            columns_[3 * x + c] = static_cast<uint16_t>(
                along(int(x), int(size.x), light.slope_x) * light.tint[c] >> 8);
}

int Sensor::along(int i, int count, int slope) const {
    const int place = count > 1 ? 512 * i / (count - 1) - 256 : 0;  // -256 .. 256
    return 256 + (slope * place >> 8) - (light_.vignette * place / 256 * place >> 8);
}

void Sensor::expose(const Texture& canvas, Rows rows, const Slot& slot) const {
    constexpr int piece = 1024;  // pixels that share a stretch of noise
    const int width = canvas.width;
    const size_t row_bytes = slot.layout.plane(0).row_bytes;
    const auto noise_strength = static_cast<int16_t>(light_.noise);
    Random random(frame_, 0x4015e);
    random.skip(uint64_t(rows.first) * uint64_t((width + piece - 1) / piece));
    for (int y = rows.first; y < rows.end; ++y) {
        const auto row = static_cast<uint16_t>(along(y, canvas.height, light_.slope_y));
        for (int first = 0; first < width; first += piece) {
            const int8_t* noise = &noise_[random.below(uint32_t(noise_.size()) - 3 * piece)];
            const uint16_t* columns = &columns_[size_t(3 * first)];
            const int count = std::min(piece, width - first);
            // Packed BGR, with one byte to spare.
            uint8_t values[3 * piece + 1];
            const uint32_t* from = &canvas.pixels[size_t(y) * size_t(width) + size_t(first)];
            for (int x = 0; x < count; ++x)
                for (int c = 0; c < 3; ++c)
                    values[3 * x + c] = static_cast<uint8_t>(from[x] >> (8 * c));
            auto* to = reinterpret_cast<uint8_t*>(slot.bytes + size_t(y) * row_bytes) + 3 * first;
            // In 16 bits, so that SIMD instructions do eight or more at once.
            for (int i = 0; i < 3 * count; ++i) {
                const auto light = static_cast<uint16_t>(uint32_t(columns[i]) * row >> 8);
                const auto lit = static_cast<int16_t>(uint32_t(values[i]) * light >> 8);
                const auto grain = static_cast<int16_t>(noise[i] * noise_strength >> 9);
                to[i] = static_cast<uint8_t>(std::clamp<int16_t>(int16_t(lit + grain), 0, 255));
            }
        }
    }
}

}  // namespace saccade
