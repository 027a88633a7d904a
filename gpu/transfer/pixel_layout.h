#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gpu/yuv.h"

namespace saccade {

// How a picture lies in memory: packed pixels of three bytes each, or three planes of YUV one after
// the other.
struct PixelLayout {
    struct Plane {
        size_t offset = 0, row_bytes = 0;
        uint32_t width = 0, height = 0;  // in pixels, or in samples
        size_t bytes() const { return row_bytes * height; }
        bool operator==(const Plane&) const = default;
    };

    uint32_t width = 0, height = 0;               // as it is stored
    std::optional<YuvFormat> yuv = std::nullopt;  // nothing: packed pixels
    bool bgr = true;                              // of packed pixels: OpenCV's order
    // How often to turn planes clockwise by a right angle so that the picture stands upright.
    // Packed pixels are upright.
    uint32_t quarter_turns = 0;

    bool operator==(const PixelLayout&) const = default;

    static constexpr uint32_t most_planes = 3;
    uint32_t planes() const { return yuv ? most_planes : 1; }
    Plane plane(uint32_t number) const;
    size_t bytes() const;

    uint32_t upright_width() const { return quarter_turns % 2 == 0 ? width : height; }
    uint32_t upright_height() const { return quarter_turns % 2 == 0 ? height : width; }
};

// Rows of a plane begin on words, because kernels read those; planes on any device's alignment.
inline PixelLayout::Plane PixelLayout::plane(uint32_t number) const {
    if (!yuv) return {0, size_t(3) * width, width, height};
    auto aligned = [](size_t value, size_t to) { return (value + to - 1) / to * to; };
    const size_t sample = yuv->bits > 8 ? 2 : 1;
    const Plane luma{0, aligned(width * sample, 4), width, height};
    if (number == 0) return luma;
    const uint32_t chroma_width = yuv->half_width ? (width + 1) / 2 : width;
    const uint32_t chroma_height = yuv->half_height ? (height + 1) / 2 : height;
    Plane chroma{aligned(luma.bytes(), 256), aligned(chroma_width * sample, 4), chroma_width,
                 chroma_height};
    if (number == 2) chroma.offset += aligned(chroma.bytes(), 256);
    return chroma;
}

inline size_t PixelLayout::bytes() const {
    const Plane last = plane(planes() - 1);
    return (last.offset + last.bytes() + 3) / 4 * 4;
}

}  // namespace saccade
