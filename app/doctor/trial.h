#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/core/instance.h"

// Drivers are tried in child processes, so that one that crashes ends the child alone. The calling
// process must not have used Vulkan before.

namespace saccade {

// The devices that the loader finds.
struct DeviceList {
    std::vector<DeviceInfo> devices;
    std::string failure;   // one line; empty: there was none
    bool crashed = false;  // a signal ended the child
};

// With `driver_files`, separated by colons, instead of the loader's own search; empty: as Saccade
// itself finds them.
DeviceList list_devices(const std::string& driver_files = {});

// Runs a small kernel on one of these devices and checks its result. Empty, or what failed in one
// line.
std::string try_kernel(uint32_t device, const std::string& driver_files = {});

}  // namespace saccade
