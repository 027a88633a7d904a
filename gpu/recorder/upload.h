#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "gpu/core/buffer.h"
#include "gpu/core/tensor.h"

// Copies data from the CPU to device memory through a staging buffer, and waits. It is for data
// that is written once or seldom, not in every frame.

namespace saccade {

class Device;

// `write` fills staging memory of the tensor's size, which is zero before; rows are row_stride
// elements apart.
void upload(Device& device, const Tensor& to,
            const std::function<void(std::span<std::byte>)>& write);

// A new device buffer with these bytes, a multiple of four.
Buffer upload(Device& device, const std::string& name, std::span<const std::byte> bytes);

}  // namespace saccade
