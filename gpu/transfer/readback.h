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

    // A part of the memory that kernels write, in words.
    Tensor words(uint64_t begin, uint64_t bytes) const;
    // Records the copy, after the kernels.
    void record(Commands& c) const;
    // The copy: valid once the recording has run, until it runs again.
    const uint8_t* bytes() const;

private:
    Buffer device_, host_;
};

// A frame on its way back to the host, for picture files: three bytes a pixel.
class Readback {
public:
    Readback(Device& device, uint32_t width, uint32_t height, bool bgr);

    // Records the packing of an image of that size. No other command depends on it.
    void record(Commands& c, const Image& image) const;
    // A view of the memory: valid once the recording has run, until it runs again.
    PictureView picture() const;

private:
    uint32_t width_, height_;
    bool bgr_;
    ReadbackMemory memory_;
};

// The same for video encoders: planes of YUV, which take half as many bytes and no conversion on
// the CPU.
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
