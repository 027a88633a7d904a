#pragma once

// VulkanMemoryAllocator as we use it: linked against the loader, nothing fetched by hand.
#define VMA_STATIC_VULKAN_FUNCTIONS 1
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 0
#include <vk_mem_alloc.h>
