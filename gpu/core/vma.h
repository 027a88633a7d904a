#pragma once

// VulkanMemoryAllocator, which calls Vulkan through the linked loader.
#define VMA_STATIC_VULKAN_FUNCTIONS 1
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 0
#include <vk_mem_alloc.h>
