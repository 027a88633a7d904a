#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "gpu/core/buffer.h"
#include "gpu/core/tensor.h"

// The one way to bring what the CPU has worked out into memory that only the device sees: staged,
// copied, and waited for. It is meant for what is written once or seldom, never for every frame.

namespace saccade {

class Device;

// `write` is called with staging memory of the tensor's size, all of it zero: rows begin row_stride
// elements apart.
void upload(Device& device, const Tensor& to,
            const std::function<void(std::span<std::byte>)>& write);

// A new buffer on the device that holds these bytes, a multiple of four of them.
Buffer upload(Device& device, const std::string& name, std::span<const std::byte> bytes);

}  // namespace saccade
