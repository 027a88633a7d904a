#pragma once

#include "gpu/core/instance.h"

struct VkDeviceCreateInfo;

namespace saccade {

// The device of a program that has made it for its own purposes, a game or a renderer, with one
// queue. It outlives whoever uses it.
struct LentDevice {
    VkInstance instance = nullptr;
    VkPhysicalDevice physical_device = nullptr;
    VkDevice device = nullptr;
    VkQueue queue = nullptr;
    uint32_t queue_family = 0;
    const VkDeviceCreateInfo* made_with = nullptr;  // what vkCreateDevice was given
};

// The features of a device that the program enabled: Vulkan tells what a device could do, not what
// it was made with. An Error if one that is needed was not enabled, or if the queue has no compute.
Features enabled_features(const DeviceInfo& info, const LentDevice& lent);

}  // namespace saccade
