#pragma once

#include <vulkan/vulkan.h>

#include <string>
#include <string_view>

#include "gpu/core/error.h"

namespace saccade {

// The name of a result as the Vulkan specification writes it.
std::string_view result_name(VkResult result);

// Throws an Error that says what was being done, and, where a person can do something about the
// result (device lost, out of memory, no driver), what that is.
void check(VkResult result, std::string_view doing);

}  // namespace saccade
