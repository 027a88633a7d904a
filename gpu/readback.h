#pragma once

#include "gpu/buffer.h"
#include "gpu/commands.h"
#include "gpu/frame.h"

namespace saccade {

// A frame on its way back, for files and video writers: memory that the CPU reads, and that one
// kernel packs an image to, three bytes a pixel.
class Readback {
public:
    Readback(Device& device, uint32_t width, uint32_t height, bool bgr);

    // Records the packing of an image of that size.
    void record(Commands& c, const Image& image) const;
    // After that has run. It shows the memory itself, until the recording runs again.
    PictureView picture() const;

private:
    Buffer buffer_;
    uint32_t width_, height_;
    bool bgr_;
};

}  // namespace saccade
