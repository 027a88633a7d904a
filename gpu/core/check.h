#pragma once

#include <vulkan/vulkan.h>

#include <string>
#include <string_view>

#include "gpu/core/error.h"

namespace saccade {

// The name of a result as the Vulkan specification writes it.
std::string_view result_name(VkResult result);

// Whether an allocation failed, on the device or on the host.
bool is_without_memory(VkResult result);

// VK_ERROR_DEVICE_LOST: the device's memory is lost, and no work on it is pending. Another device
// may be opened.
class DeviceLost : public TemporaryError {
public:
    using TemporaryError::TemporaryError;
};

// An allocation failed, on the device or on the host. Everything allocated before it is still
// valid.
class OutOfMemory : public TemporaryError {
public:
    using TemporaryError::TemporaryError;
};

// Throws an Error, DeviceLost or OutOfMemory, unless the result is VK_SUCCESS. The text says what
// was being done and, where the user can help (device lost, out of memory, no driver), what to do.
void check(VkResult result, std::string_view doing);

}  // namespace saccade
