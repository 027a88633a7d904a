#pragma once

#include <vector>

#include "gpu/recorder/commands.h"

namespace saccade {

// Results on their way back: memory that the device writes and the CPU reads.
class Download {
public:
    // Records the copy of a tensor, converted to f32 (u32 stays as it is). The memory is made at
    // the first recording and kept as long as the shape stays.
    void record(Commands& c, const Tensor& from);

    // After the recording has run: row after row, without padding.
    std::vector<float> floats() const;
    std::vector<uint32_t> words() const;

private:
    template <typename Element>
    std::vector<Element> elements() const;

    Buffer buffer_;
    Tensor tensor_;
};

}  // namespace saccade
