#pragma once

#include <string>

namespace saccade {

// What `saccade devices` prints: each Vulkan device, its memory, and which fast paths it has.
// An Error if there is none.
std::string describe_devices();

}  // namespace saccade
