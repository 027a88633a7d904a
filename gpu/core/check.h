#pragma once

#include <vulkan/vulkan.h>

#include <string>
#include <string_view>

#include "gpu/core/error.h"

namespace saccade {

// The name of a result as the Vulkan specification writes it.
std::string_view result_name(VkResult result);

// Whether there was no room for something, on the device or on the host.
bool is_without_memory(VkResult result);

// The device stopped answering: nothing that lies on it is of use any more, and nothing of it is in
// use. Another one may be opened.
class DeviceLost : public Error {
public:
    using Error::Error;
};

// There was no room for something, on the device or on the host; what was there before still is.
class OutOfMemory : public Error {
public:
    using Error::Error;
};

// Throws an Error (DeviceLost, OutOfMemory where it is that) that says what was being done, and, where a person can do something about the
// result (device lost, out of memory, no driver), what that is.
void check(VkResult result, std::string_view doing);

}  // namespace saccade
