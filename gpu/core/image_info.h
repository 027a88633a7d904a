#pragma once

#include <vulkan/vulkan.h>

#include "gpu/core/geometry.h"

namespace saccade {

// What all our images are made by: 8-bit RGBA pixels that kernels read and write, and copies, too.
inline VkImageCreateInfo image_info(Size size) {
    VkImageCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent = {size.x, size.y, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                 VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    return info;
}

}  // namespace saccade
