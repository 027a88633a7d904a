#pragma once

#include <array>
#include <cstdint>
#include <glm/ext/vector_uint4_sized.hpp>

// Colours chosen by how they look: lightness, chroma and hue in Oklab (Ottosson 2020), where equal
// steps are seen as equal. As words: red in the lowest byte, alpha in the highest.

namespace saccade {

constexpr uint32_t rgba(uint32_t red, uint32_t green, uint32_t blue, uint32_t alpha = 255) {
    return red | green << 8 | blue << 16 | alpha << 24;
}
constexpr uint32_t with_alpha(uint32_t colour, double alpha) {
    return (colour & 0xffffffu) | static_cast<uint32_t>(alpha * 255.0 + 0.5) << 24;
}

// Text on a picture, and the plate below it.
inline constexpr uint32_t text_ink = rgba(240, 240, 240), text_plate = rgba(16, 16, 20, 184);

constexpr glm::u8vec4 channels_of(uint32_t colour) {
    return {colour & 0xffu, colour >> 8 & 0xffu, colour >> 16 & 0xffu, colour >> 24};
}

// Lightness 0 .. 1, hue in degrees; chroma is lowered to what a screen can show.
uint32_t colour_from(double lightness, double chroma, double hue);

// Findings that are not fresh are drawn greyer and more transparent: 1 leaves a colour unchanged.
uint32_t faded(uint32_t colour, float freshness);

// The same for a class in every picture, and unlike its neighbours'.
uint32_t class_colour(uint32_t id);

// From the lowest value to the highest: evenly lighter from dark violet over red to pale yellow,
// and from transparent to opaque, so that the picture shows through where values are low.
std::array<uint32_t, 256> heat_colours();

}  // namespace saccade
