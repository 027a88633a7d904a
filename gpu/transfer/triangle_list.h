#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/ops/draw.h"

namespace saccade {

// A glyph atlas: shapes side by side in one picture, with a byte of coverage per pixel.
class Atlas {
public:
    Atlas(Device& device, std::span<const uint8_t> coverage, Size size);

    Tensor tensor() const;
    Size size() const { return size_; }
    uint8_t at(uint32_t x, uint32_t y) const { return coverage_[size_t(y) * size_.x + x]; }

private:
    std::vector<uint8_t> coverage_;
    Size size_;
    Buffer buffer_;
};

// Gathers triangles on the CPU and sorts them into the tiles of a screen, as `triangles` takes
// them.
class TriangleList {
public:
    struct Corner {
        float x = 0, y = 0;     // pixels of the screen, whose first has its middle at 0.5
        float u = 0, v = 0;     // parts of the atlas
        uint32_t colour = ~0u;  // RGBA, red in the lowest byte
    };
    struct Clip {
        float left, top, right, bottom;  // nothing is drawn outside
    };

    TriangleList(Device& device, const Atlas& atlas);

    void begin(Size screen);
    void add(const Corner& a, const Corner& b, const Corner& c, const Clip& clip);
    // Writes the triangles to mapped memory, which is in use until the recording that draws them
    // has run. It grows when there is more to draw than ever before.
    Triangles finish();

    size_t count() const { return spans_.size(); }
    // How many tiles the triangles touch, all together, after finish().
    size_t touched() const { return list_.size(); }

private:
    struct Span {
        uint16_t left, top, right, bottom;  // the tiles it may touch, the last ones included
    };
    void write(Buffer& buffer, const char* name, std::span<const uint32_t> words);

    Device& device_;
    const Atlas& atlas_;
    uint32_t across_ = 0, down_ = 0;
    Size screen_;
    std::vector<uint32_t> shapes_, list_, tiles_;  // as on the device
    std::vector<Span> spans_;                      // of each shape
    Buffer shapes_buffer_, list_buffer_, tiles_buffer_;
};

}  // namespace saccade
