#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/buffer.h"
#include "gpu/commands.h"
#include "gpu/image.h"

namespace saccade {

// A picture as somebody hands it in: 8-bit pixels of three channels.
struct PictureView {
    const uint8_t* pixels = nullptr;
    uint32_t width = 0, height = 0;
    uint32_t row_bytes = 0;
    bool bgr = false;  // OpenCV's order
};

// One frame on its way to the device: a mapped slot that the producer writes into, and the image
// that one kernel unpacks it to. That is its only trip over the bus.
class Frame {
public:
    Frame(Device& device, uint32_t width, uint32_t height, bool bgr);

    // Where the producer writes: rows of row_bytes(), three bytes a pixel.
    std::span<std::byte> slot() const { return slot_.mapped(); }
    uint32_t row_bytes() const { return 3 * image_.width(); }
    // To be called when it has written there, before the frame is used.
    void flush() const { slot_.flush(); }
    // Both in one, from a picture elsewhere.
    void write(const PictureView& picture);

    // Records the unpacking.
    void record(Commands& c) const;

    const Image& image() const { return image_; }
    uint32_t width() const { return image_.width(); }
    uint32_t height() const { return image_.height(); }
    bool bgr() const { return bgr_; }

private:
    Buffer slot_;
    Image image_;
    bool bgr_;
};

}  // namespace saccade
