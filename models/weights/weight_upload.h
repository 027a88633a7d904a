#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "gpu/core/buffer.h"
#include "gpu/ops/elementwise.h"
#include "gpu/recorder/commands.h"
#include "models/files/checkpoint.h"

namespace saccade {

// Tensors in a block of weights begin at multiples of this many bytes, so that each can be bound.
constexpr uint64_t weight_alignment = 256;
constexpr uint64_t align_up(uint64_t bytes, uint64_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
}

// Throws an Error that names the tensor if one of its values is infinite or NaN.
void require_finite(const WeightSource& source, const std::string& name,
                    std::span<const float> values);

// Uploads tensors through two staging buffers: while the device unpacks one of them, the host fills
// the other. A value that is infinite, NaN or too large for the type of its destination is an
// Error.
class WeightUpload {
public:
    WeightUpload(Device& device, WeightSource& source, const std::string& name);
    ~WeightUpload();

    // Copies a stored tensor, converts it to the type of `to` and multiplies it by `scale`; `x` and
    // `y` are the layouts of source and destination. A large tensor is copied in pieces along its
    // slowest dimension. `release`: the bytes belong to the source, which may drop them after the
    // copy.
    void copy(const Tensor& to, const Layout& y, const StoredTensor& from, const Layout& x,
              float scale = 1.0f, bool release = true);

    // Records after the copies so far.
    Commands& commands();

    // Waits until the device has run everything.
    void finish();

private:
    struct Stage;
    Stage& stage_for(uint64_t bytes);

    Device& device_;
    WeightSource& source_;
    Arena scratch_;
    std::unique_ptr<Stage> stages_[2];
    int current_ = 0;
};

}  // namespace saccade
