#pragma once

#include "gpu/core/buffer.h"
#include "gpu/recorder/commands.h"
#include "gpu/transfer/frame.h"
#include "gpu/transfer/planes.h"

namespace saccade {

// Memory that kernels write, and a copy of it that the CPU reads. A kernel that wrote into the
// CPU's memory itself would send every word over the bus alone; one copy of all is several times
// faster.
class ReadbackMemory {
public:
    ReadbackMemory(Device& device, const std::string& name, uint64_t bytes);

    // Some of what kernels write, in words.
    Tensor words(uint64_t begin, uint64_t bytes) const;
    // Records the copy, after the kernels.
    void record(Commands& c) const;
    // After that has run, until it runs again.
    const uint8_t* bytes() const;

private:
    Buffer device_, host_;
};

// A frame on its way back, for picture files: three bytes a pixel.
class Readback {
public:
    Readback(Device& device, uint32_t width, uint32_t height, bool bgr);

    // Records the packing of an image of that size. Nothing else that is recorded waits for
    // it.
    void record(Commands& c, const Image& image) const;
    // After that has run. It shows the memory itself, until the recording runs again.
    PictureView picture() const;

private:
    uint32_t width_, height_;
    bool bgr_;
    ReadbackMemory memory_;
};

// The same for video encoders: half as many bytes, which need no conversion on the CPU.
class PlanarReadback {
public:
    PlanarReadback(Device& device, const PlaneLayout& layout);

    void record(Commands& c, const Image& image) const;
    PlanarView picture() const;

private:
    PlaneLayout layout_;
    ReadbackMemory memory_;
};

}  // namespace saccade
