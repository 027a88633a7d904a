#pragma once

// Vulkan's and VMA's handle types without their headers, so that everything above gpu/ can hold
// devices, buffers and tensors without ever seeing the Vulkan API. On 64-bit machines a handle is
// a pointer to an incomplete struct; vulkan.h repeats these declarations, which is allowed.

#define SACCADE_HANDLE(name) typedef struct name##_T* name
SACCADE_HANDLE(VkInstance);
SACCADE_HANDLE(VkPhysicalDevice);
SACCADE_HANDLE(VkDevice);
SACCADE_HANDLE(VkQueue);
SACCADE_HANDLE(VkCommandBuffer);
SACCADE_HANDLE(VkCommandPool);
SACCADE_HANDLE(VkBuffer);
SACCADE_HANDLE(VkImage);
SACCADE_HANDLE(VkDeviceMemory);
SACCADE_HANDLE(VkBufferView);
SACCADE_HANDLE(VkImageView);
SACCADE_HANDLE(VkSemaphore);
SACCADE_HANDLE(VkQueryPool);
SACCADE_HANDLE(VkPipeline);
SACCADE_HANDLE(VkPipelineLayout);
SACCADE_HANDLE(VkPipelineCache);
SACCADE_HANDLE(VkDescriptorSetLayout);
SACCADE_HANDLE(VkDebugUtilsMessengerEXT);
SACCADE_HANDLE(VkSurfaceKHR);
SACCADE_HANDLE(VkSwapchainKHR);
SACCADE_HANDLE(VmaAllocator);
SACCADE_HANDLE(VmaAllocation);
#undef SACCADE_HANDLE

static_assert(sizeof(void*) == 8, "Saccade needs a 64-bit machine");
