#include "app/draw/colour.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/exponential.hpp>
#include <glm/mat3x3.hpp>
#include <glm/trigonometric.hpp>
#include <glm/vec3.hpp>
#include <glm/vector_relational.hpp>
#include <numbers>

namespace saccade {

namespace {

// To linear light. Each column is the share of one of Oklab's coordinates.
glm::dvec3 from_oklch(double lightness, double chroma, double hue) {
    constexpr glm::dmat3 cones_of_oklab{{1, 1, 1},
                                        {0.3963377774, -0.1055613458, -0.0894841775},
                                        {0.2158037573, -0.0638541728, -1.2914855480}};
    constexpr glm::dmat3 rgb_of_cones{{4.0767416621, -1.2684380046, -0.0041960863},
                                      {-3.3077115913, 2.6097574011, -0.7034186147},
                                      {0.2309699292, -0.3413193965, 1.7076147010}};
    const double angle = glm::radians(hue);
    const glm::dvec3 oklab(lightness, chroma * std::cos(angle), chroma * std::sin(angle));
    return rgb_of_cones * glm::pow(cones_of_oklab * oklab, glm::dvec3(3));
}

bool on_screen(const glm::dvec3& colour) {
    return glm::all(glm::greaterThanEqual(colour, glm::dvec3(-1e-4))) &&
           glm::all(glm::lessThanEqual(colour, glm::dvec3(1.0001)));
}

uint32_t as_byte(double linear) {
    const double v = glm::clamp(linear, 0.0, 1.0);
    const double encoded = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
    return static_cast<uint32_t>(std::lround(255 * encoded));
}

}  // namespace

uint32_t colour_from(double lightness, double chroma, double hue) {
    double least = 0, most = chroma;
    if (!on_screen(from_oklch(lightness, chroma, hue))) {
        for (int i = 0; i < 20; ++i) {
            const double middle = (least + most) / 2;
            (on_screen(from_oklch(lightness, middle, hue)) ? least : most) = middle;
        }
        chroma = least;
    }
    const glm::dvec3 colour = from_oklch(lightness, chroma, hue);
    return rgba(as_byte(colour.r), as_byte(colour.g), as_byte(colour.b));
}

uint32_t faded(uint32_t colour, float freshness) {
    const glm::u8vec4 from = channels_of(colour);
    auto mix = [&](uint8_t value, float old) {
        return static_cast<uint32_t>(std::lround(std::lerp(old, float(value), freshness)));
    };
    return rgba(mix(from.x, 130), mix(from.y, 130), mix(from.z, 135),
                mix(from.w, 0.45f * float(from.w)));
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
