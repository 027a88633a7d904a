#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/core/buffer.h"
#include "gpu/core/image.h"
#include "gpu/recorder/commands.h"
#include "gpu/transfer/pixel_layout.h"

namespace saccade {

// A picture in the host's memory: 8-bit pixels of three channels.
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
    Frame(Device& device, const PixelLayout& layout);
    Frame(Device& device, uint32_t width, uint32_t height, bool bgr);  // of packed pixels

    // Where the producer writes, as the layout says.
    std::span<std::byte> slot() const { return slot_.mapped(); }
    const PixelLayout& layout() const { return layout_; }
    // Must be called after the producer has written, before the frame is used.
    void flush() const { slot_.flush(); }
    // Copies a picture of packed pixels into the slot, and flushes it.
    void write(const PictureView& picture);

    // Records the unpacking.
    void record(Commands& c) const;

    const Image& image() const { return image_; }
    uint32_t width() const { return image_.width(); }
    uint32_t height() const { return image_.height(); }

private:
    void record_packed(Commands& c) const;
    void record_yuv(Commands& c) const;

    PixelLayout layout_;
    Buffer slot_;
    Image image_;
};

}  // namespace saccade
