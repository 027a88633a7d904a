#pragma once

#include <string>

#include "app/doctor/machine.h"
#include "gpu/core/instance.h"

namespace saccade {

// Why Vulkan has no device for a GPU that is in the machine, and the command that mends it.
struct Cause {
    std::string text, remedy;
};

// Looks at files and nodes only; no driver is started. `crashed` is the driver file whose driver is
// known to crash, if one does.
Cause why_unusable(const Machine& machine, const Gpu& gpu, const std::string& crashed = {});

// Whether a Vulkan device belongs to this GPU and can be used.
bool drives(const DeviceInfo& device, const Gpu& gpu);

// The line for a run on software Vulkan: what it says about the GPUs of this machine. Empty if
// there are none.
std::string unused_gpu_line(const DeviceInfo& device, const Machine& machine);

}  // namespace saccade
