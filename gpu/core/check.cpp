#include "gpu/core/check.h"

namespace saccade {

std::string_view result_name(VkResult result) {
    switch (result) {
#define CASE(name) \
    case name:     \
        return #name
        CASE(VK_SUCCESS);
        CASE(VK_NOT_READY);
        CASE(VK_TIMEOUT);
        CASE(VK_INCOMPLETE);
        CASE(VK_ERROR_OUT_OF_HOST_MEMORY);
        CASE(VK_ERROR_OUT_OF_DEVICE_MEMORY);
        CASE(VK_ERROR_INITIALIZATION_FAILED);
        CASE(VK_ERROR_DEVICE_LOST);
        CASE(VK_ERROR_MEMORY_MAP_FAILED);
        CASE(VK_ERROR_LAYER_NOT_PRESENT);
        CASE(VK_ERROR_EXTENSION_NOT_PRESENT);
        CASE(VK_ERROR_FEATURE_NOT_PRESENT);
        CASE(VK_ERROR_INCOMPATIBLE_DRIVER);
        CASE(VK_ERROR_TOO_MANY_OBJECTS);
        CASE(VK_ERROR_FORMAT_NOT_SUPPORTED);
        CASE(VK_ERROR_FRAGMENTED_POOL);
        CASE(VK_ERROR_OUT_OF_POOL_MEMORY);
        CASE(VK_ERROR_SURFACE_LOST_KHR);
        CASE(VK_ERROR_OUT_OF_DATE_KHR);
        CASE(VK_SUBOPTIMAL_KHR);
#undef CASE
        default:
            return "an unknown VkResult";
    }
}

namespace {

std::string_view advice(VkResult result) {
    switch (result) {
        case VK_ERROR_DEVICE_LOST:
            return "; the GPU stopped answering: run again, or choose another with --device";
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
            return "; the GPU has too little free memory: close other programs, use a smaller "
                   "model or --precision fp16, or choose another with --device";
        case VK_ERROR_OUT_OF_HOST_MEMORY:
            return "; the machine has too little free memory: close other programs";
        case VK_ERROR_INCOMPATIBLE_DRIVER:
            return "; no Vulkan driver was found: install one (mesa-vulkan-drivers runs on any "
                   "CPU)";
        default:
            return "";
    }
}

}  // namespace

void check(VkResult result, std::string_view doing) {
    if (result == VK_SUCCESS) return;
    const std::string text =
        std::string(doing) + " failed: " + std::string(result_name(result)) +
        (result_name(result).starts_with("an ") ? " (" + std::to_string(result) + ")" : "") +
        std::string(advice(result));
    if (result == VK_ERROR_DEVICE_LOST) throw DeviceLost(text);
    if (is_without_memory(result)) throw OutOfMemory(text);
    throw Error(text);
}

bool is_without_memory(VkResult result) {
    return result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

}  // namespace saccade
