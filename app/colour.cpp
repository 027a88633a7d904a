#include "app/colour.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace saccade {

namespace {

struct Rgb {
    double channel[3];  // linear light

    bool on_screen() const {
        return std::ranges::all_of(channel, [](double v) { return v >= -1e-4 && v <= 1.0001; });
    }
};

Rgb from_oklch(double lightness, double chroma, double hue) {
    const double angle = hue * std::numbers::pi / 180;
    const double a = chroma * std::cos(angle), b = chroma * std::sin(angle);
    const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return {{4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
             -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
             -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s}};
}

uint32_t as_byte(double linear) {
    const double v = std::clamp(linear, 0.0, 1.0);
    const double encoded = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
    return static_cast<uint32_t>(std::lround(255 * encoded));
}

}  // namespace

uint32_t colour_from(double lightness, double chroma, double hue) {
    double least = 0, most = chroma;
    if (!from_oklch(lightness, chroma, hue).on_screen()) {
        for (int i = 0; i < 20; ++i) {
            const double middle = (least + most) / 2;
            (from_oklch(lightness, middle, hue).on_screen() ? least : most) = middle;
        }
        chroma = least;
    }
    const Rgb colour = from_oklch(lightness, chroma, hue);
    return rgba(as_byte(colour.channel[0]), as_byte(colour.channel[1]), as_byte(colour.channel[2]));
}

uint32_t class_colour(uint32_t id) {
    // Hues a golden angle apart: however many classes there are, neighbours look least alike. Those
    // whose hues come near, 3 or 5 apart, differ in lightness.
    const double hue = std::fmod(30 + 137.50776405 * id, 360);
    return colour_from(id % 2 ? 0.72 : 0.83, 0.17, hue);
}

std::array<uint32_t, 256> heat_colours() {
    std::array<uint32_t, 256> colours;
    for (size_t i = 0; i < colours.size(); ++i) {
        const double t = static_cast<double>(i) / 255;
        const double chroma = 0.06 + 0.17 * std::sin(std::numbers::pi * std::min(1.0, 0.08 + t));
        const uint32_t colour = colour_from(0.14 + 0.82 * t, chroma, std::fmod(285 + 180 * t, 360));
        colours[i] = with_alpha(colour, std::sqrt(t));
    }
    return colours;
}

}  // namespace saccade
