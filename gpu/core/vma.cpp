// The body of VulkanMemoryAllocator, which is a library in one header.
#define VMA_IMPLEMENTATION
#include "gpu/core/vma.h"
