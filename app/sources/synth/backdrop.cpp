#include "app/sources/synth/backdrop.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/vec3.hpp>
#include <opencv2/imgcodecs.hpp>

#include "app/io/assets.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

using Colour = glm::dvec3;  // red, green, blue; 0 .. 255

uint32_t packed(const Colour& c) {
    auto channel = [](double v) { return static_cast<uint32_t>(std::clamp(v, 0.0, 255.0) + 0.5); };
    return channel(c.r) << 16 | channel(c.g) << 8 | channel(c.b);
}

Colour unpacked(uint32_t pixel) {
    return {double(pixel >> 16 & 255), double(pixel >> 8 & 255), double(pixel & 255)};
}

Colour from_hue(double hue, double saturation, double value) {
    hue = (hue - std::floor(hue)) * 6;
    auto channel = [&](double centre) {
        const double distance = std::min(std::abs(hue - centre), 6 - std::abs(hue - centre));
        return 255 * value * (1 - saturation + saturation * std::clamp(2 - distance, 0.0, 1.0));
    };
    return {channel(0), channel(2), channel(4)};
}

// Two neighbouring hues, one of them darker.
struct Pair {
    Colour dark, light;
};
Pair pair_of(Random& random) {
    const double hue = random.uniform(), saturation = random.uniform(0.2, 0.5);
    const double dark = random.uniform(0.35, 0.55), light = random.uniform(0.7, 0.9);
    const double apart = random.uniform(-0.12, 0.12);
    return {from_hue(hue, saturation, dark), from_hue(hue + apart, saturation * 0.8, light)};
}

// Value noise, 0 .. 1: random values on a lattice of `cells` across the height, interpolated.
class Clouds {
public:
    Clouds(Random& random, int width, int height, double cells_x, double cells_y)
        : step_x_(cells_x / height),
          step_y_(cells_y / height),
          columns_(static_cast<int>(width * step_x_) + 2),
          values_(size_t(columns_) * size_t(static_cast<int>(height * step_y_) + 2)) {
        for (float& value : values_) value = static_cast<float>(random.uniform());
    }
    double at(int x, int y) const {
        const double u = x * step_x_, v = y * step_y_;
        const int i = static_cast<int>(u), j = static_cast<int>(v);
        const double a = smooth(u - i), b = smooth(v - j);
        const float* row = &values_[size_t(j) * size_t(columns_) + size_t(i)];
        const double above = row[0] + (row[1] - row[0]) * a;
        const double below = row[columns_] + (row[columns_ + 1] - row[columns_]) * a;
        return above + (below - above) * b;
    }

private:
    static double smooth(double t) { return t * t * (3 - 2 * t); }

    double step_x_, step_y_;
    int columns_;
    std::vector<float> values_;
};

// The size of a backdrop, and the threads that paint it.
struct Order {
    int width, height;
    Painters& painters;
};

// Calls colour(x, y) for every pixel.
template <typename F>
Texture painted(const Order& order, const F& colour) {
    const int width = order.width, height = order.height;
    Texture texture{width, height, std::vector<uint32_t>(size_t(width) * size_t(height))};
    order.painters.paint(height, [&](Rows rows) {
        for (int y = rows.first; y < rows.end; ++y)
            for (int x = 0; x < width; ++x) texture.at(x, y) = packed(colour(x, y));
    });
    return texture;
}

Texture gradient(Random& random, const Order& order) {
    const int width = order.width, height = order.height;
    const Pair pair = pair_of(random);
    const double angle = random.uniform();
    const double dx = wave(angle + 0.25) / width, dy = wave(angle) / height;
    const Clouds large(random, width, height, 3, 3), small(random, width, height, 11, 11);
    return painted(order, [&](int x, int y) {
        const double along = 0.5 + (x - width / 2) * dx + (y - height / 2) * dy;
        const double t = along + 0.5 * (large.at(x, y) - 0.5) + 0.15 * (small.at(x, y) - 0.5);
        return glm::mix(pair.dark, pair.light, std::clamp(t, 0.0, 1.0));
    });
}

// Cloth with soft stripes; in two directions, checks.
Texture cloth(Random& random, const Order& order, bool checks) {
    const int width = order.width, height = order.height;
    const Pair pair = pair_of(random);
    const Colour dark = glm::mix(pair.dark, pair.light, 0.45);
    const double angle = random.uniform(-0.08, 0.08), count = random.uniform(3, 7);
    const double dx = wave(angle + 0.25) * count / height, dy = wave(angle) * count / height;
    const Clouds folds(random, width, height, 3, 3), weave(random, width, height, 150, 150);
    auto band = [](double t) { return std::clamp(0.5 + 4 * wave(t), 0.0, 1.0); };
    return painted(order, [&](int x, int y) {
        const double one = band(x * dx + y * dy), two = checks ? band(y * dx - x * dy) : one;
        const double light = 0.88 + 0.16 * folds.at(x, y) + 0.05 * weave.at(x, y);
        return glm::mix(dark, pair.light, (one + two) / 2) * light;
    });
}

// A table: boards with wood grain.
Texture wood(Random& random, const Order& order) {
    const int width = order.width, height = order.height;
    const double hue = random.uniform(0.05, 0.1), saturation = random.uniform(0.4, 0.6);
    const Colour dark = from_hue(hue, saturation, random.uniform(0.35, 0.5));
    const Colour light = from_hue(hue + 0.015, saturation * 0.85, random.uniform(0.6, 0.8));
    const Clouds bend(random, width, height, 1.5, 5), grain(random, width, height, 4, 170);
    const int board = height / 4 + static_cast<int>(random.below(uint32_t(height / 8 + 1)));
    std::vector<double> shades, shifts;
    for (int i = 0; i <= height / board; ++i) {
        shades.push_back(random.uniform(-0.12, 0.12));
        shifts.push_back(random.uniform(0, 10));
    }
    return painted(order, [&](int x, int y) {
        const int number = y / board, across = y % board;
        const double rings = wave(shifts[size_t(number)] + 5 * bend.at(x, y) + 0.02 * across);
        const double t =
            0.55 + 0.2 * rings + 0.35 * (grain.at(x, y) - 0.5) + shades[size_t(number)];
        return glm::mix(dark, light, std::clamp(t, 0.0, 1.0)) * (across < 2 ? 0.55 : 1);
    });
}

// A street at night, out of focus.
Texture lights(Random& random, const Order& order) {
    const int width = order.width, height = order.height;
    const double hue = random.uniform(0.55, 0.8);
    const Colour low = from_hue(hue, 0.5, 0.12), high = from_hue(hue + 0.05, 0.45, 0.38);
    const Clouds haze(random, width, height, 3, 3);
    Texture texture = painted(order, [&](int x, int y) {
        return glm::mix(low, high,
                        std::clamp(0.7 * y / height + 0.6 * (haze.at(x, y) - 0.35), 0.0, 1.0));
    });
    struct Lamp {
        double x, y, radius, strength;
        Colour colour;
    };
    std::vector<Lamp> lamps(size_t(26 * width / height));
    for (Lamp& lamp : lamps) {
        lamp.x = random.uniform(0, width);
        lamp.y = random.uniform(0.1, 1) * height;
        lamp.radius = random.uniform(0.02, 0.075) * height;
        const double warm =
            random.chance(0.7) ? random.uniform(0.04, 0.14) : random.uniform(0.5, 0.9);
        lamp.colour = from_hue(warm, random.uniform(0.3, 0.7), 1);
        lamp.strength = random.uniform(0.08, 0.3);
    }
    auto shine = [&](const Lamp& lamp, Rows rows) {
        const auto& [x, y, radius, strength, colour] = lamp;
        for (int v = std::max(rows.first, int(y - radius));
             v < std::min(rows.end, int(y + radius) + 2); ++v)
            for (int u = std::max(0, int(x - radius)); u < std::min(width, int(x + radius) + 2);
                 ++u) {
                const double distance = std::sqrt((u - x) * (u - x) + (v - y) * (v - y));
                const double disc = std::clamp((radius - distance) / 2.5, 0.0, 1.0) *
                                    (0.7 + 0.3 * distance / radius);
                if (disc <= 0) continue;
                uint32_t& pixel = texture.at(u, v);
                pixel = packed(unpacked(pixel) + colour * (strength * disc));
            }
    };
    order.painters.paint(height, [&](Rows rows) {
        for (const Lamp& lamp : lamps) shine(lamp, rows);
    });
    return texture;
}

// A crop of a photograph; `tint` maps its pixels to colours.
template <typename F>
Texture photograph(Random& random, const Order& order, const Texture& photo, F tint) {
    const int width = order.width, height = order.height;
    // The largest crop with the texture's aspect ratio, or a bit less, perhaps mirrored.
    const double fit = std::min(double(photo.width - 2) / width, double(photo.height - 2) / height);
    const double scale = fit * random.uniform(0.75, 1);
    const double left = random.uniform(0, photo.width - 2 - scale * width);
    const double top = random.uniform(0, photo.height - 2 - scale * height);
    const bool mirrored = random.chance(0.5);
    return painted(order, [&](int x, int y) {
        const double u = left + scale * (mirrored ? width - 1 - x : x), v = top + scale * y;
        const int i = static_cast<int>(u), j = static_cast<int>(v);
        return glm::mix(glm::mix(tint(photo.at(i, j)), tint(photo.at(i + 1, j)), u - i),
                        glm::mix(tint(photo.at(i, j + 1)), tint(photo.at(i + 1, j + 1)), u - i),
                        v - j);
    });
}

Texture tinted(Random& random, const Order& order, const Texture& photo, const Colour& dark,
               const Colour& light) {
    const double warmth = random.uniform(0.92, 1.08);
    return photograph(random, order, photo, [&](uint32_t pixel) {
        Colour colour = glm::mix(dark, light, (pixel & 255) / 255.0);
        colour.r *= warmth;
        return colour;
    });
}

Texture load_photo(const char* name) {
    const std::span<const std::byte> file = asset(name);
    const cv::Mat bytes(1, static_cast<int>(file.size()), CV_8UC1,
                        const_cast<std::byte*>(file.data()));
    const cv::Mat picture = cv::imdecode(bytes, cv::IMREAD_COLOR);
    if (picture.empty())
        throw Error("the program's picture " + std::string(name) +
                    " cannot be read: OpenCV was built without PNG");
    Texture photo{picture.cols, picture.rows, std::vector<uint32_t>(picture.total())};
    for (int y = 0; y < photo.height; ++y)
        for (int x = 0; x < photo.width; ++x) {
            const cv::Vec3b& pixel = picture.at<cv::Vec3b>(y, x);
            photo.at(x, y) =
                uint32_t(pixel[2]) << 16 | uint32_t(pixel[1]) << 8 | uint32_t(pixel[0]);
        }
    return photo;
}

}  // namespace

BackdropPhotos load_backdrop_photos() {
    return {load_photo("brick.png"), load_photo("grass.png"), load_photo("gravel.png"),
            load_photo("stars.png")};
}

Texture make_backdrop(Backdrop backdrop, uint64_t seed, int width, int height,
                      const BackdropPhotos& photos, Painters& painters) {
    Random random(seed);
    const Order order{width, height, painters};
    switch (backdrop) {
        case Backdrop::gradient:
            return gradient(random, order);
        case Backdrop::stripes:
            return cloth(random, order, false);
        case Backdrop::checks:
            return cloth(random, order, true);
        case Backdrop::wood:
            return wood(random, order);
        case Backdrop::lights:
            return lights(random, order);
        case Backdrop::brick:
            return tinted(random, order, photos.brick, {58, 20, 8}, {255, 190, 160});
        case Backdrop::grass:
            return tinted(random, order, photos.grass, {12, 32, 6}, {190, 225, 120});
        case Backdrop::gravel:
            return tinted(random, order, photos.gravel, {34, 32, 34}, {228, 218, 204});
        case Backdrop::stars:
            return photograph(random, order, photos.stars, unpacked);
    }
    throw Error("unknown backdrop");
}

}  // namespace saccade
