#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace saccade {

// Chroma subsampling: each pixel has its own U and V (4:4:4), or 2 x 2 pixels share them (4:2:0).
// Each pixel has its own Y.
enum class Chroma { full, halved };

// Every player shows 4:2:0, but only pictures with even sides can be stored so.
inline Chroma chroma_for(uint32_t width, uint32_t height) {
    return width % 2 == 0 && height % 2 == 0 ? Chroma::halved : Chroma::full;
}

// Where the planes Y, U and V of a picture lie in one piece of memory. Rows are whole words, planes
// begin where any device can bind them.
struct PlaneLayout {
    uint32_t width = 0, height = 0;
    Chroma chroma = Chroma::halved;

    struct Plane {
        uint64_t begin;
        uint32_t row_bytes;
        uint32_t width, height;
    };
    std::array<Plane, 3> planes() const {
        constexpr uint64_t alignment = 256;
        const uint32_t shared = chroma == Chroma::halved ? 2 : 1;
        std::array<Plane, 3> planes{};
        uint64_t begin = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const uint32_t by = i == 0 ? 1 : shared;
            const uint32_t across = (width + by - 1) / by, down = (height + by - 1) / by;
            planes[i] = {begin, (across + 3) / 4 * 4, across, down};
            begin += (uint64_t(planes[i].row_bytes) * down + alignment - 1) / alignment * alignment;
        }
        return planes;
    }
    uint64_t bytes() const {
        const Plane last = planes()[2];
        return last.begin + uint64_t(last.row_bytes) * last.height;
    }
    bool operator==(const PlaneLayout&) const = default;
};

// A picture as planes, in the host's memory.
struct PlanarView {
    const uint8_t* memory = nullptr;
    PlaneLayout layout;
};

}  // namespace saccade
