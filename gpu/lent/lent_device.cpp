#include "gpu/lent/lent_device.h"

#include <vulkan/vulkan.h>

#include <cstring>
#include <string>
#include <vector>

#include "gpu/core/error.h"

namespace saccade {

namespace {

// The features that the engine knows, as a chain of feature structures enables them: in those of a
// version of Vulkan, or in those of the extension that each once was.
class EnabledFeatures {
public:
    explicit EnabledFeatures(const VkDeviceCreateInfo& made) : made_(made) {
        if (made.pEnabledFeatures) read(*made.pEnabledFeatures);
        for (auto* next = static_cast<const VkBaseInStructure*>(made.pNext); next;
             next = next->pNext)
            read(*next);
    }
    bool has_extension(const char* name) const {
        for (uint32_t i = 0; i < made_.enabledExtensionCount; ++i)
            if (std::strcmp(made_.ppEnabledExtensionNames[i], name) == 0) return true;
        return false;
    }

    bool float64 = false, storage16 = false, float16 = false, addresses = false;
    bool timeline = false, query_reset = false, memory_model = false, synchronization2 = false;
    bool maintenance4 = false, size_control = false, full_subgroups = false, matrices = false;

private:
    void read(const VkPhysicalDeviceFeatures& all) { float64 |= all.shaderFloat64 != 0; }
    void read(const VkPhysicalDeviceVulkan12Features& all) {
        float16 |= all.shaderFloat16 != 0;
        addresses |= all.bufferDeviceAddress != 0;
        timeline |= all.timelineSemaphore != 0;
        query_reset |= all.hostQueryReset != 0;
        memory_model |= all.vulkanMemoryModel != 0;
    }
    void read(const VkPhysicalDeviceVulkan13Features& all) {
        synchronization2 |= all.synchronization2 != 0;
        maintenance4 |= all.maintenance4 != 0;
        size_control |= all.subgroupSizeControl != 0;
        full_subgroups |= all.computeFullSubgroups != 0;
    }
    template <typename Structure>
    static const Structure& as(const VkBaseInStructure& any) {
        return reinterpret_cast<const Structure&>(any);
    }
    void read(const VkBaseInStructure& any) {
        switch (any.sType) {
            case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2:
                return read(as<VkPhysicalDeviceFeatures2>(any).features);
            case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES:
                storage16 |=
                    as<VkPhysicalDeviceVulkan11Features>(any).storageBuffer16BitAccess != 0;
                return;
            case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES:
                return read(as<VkPhysicalDeviceVulkan12Features>(any));
            case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES:
                return read(as<VkPhysicalDeviceVulkan13Features>(any));
            default:
                return read_single(any);
        }
    }
    void read_single(const VkBaseInStructure& any) {
        const auto is = [&](VkStructureType type) { return any.sType == type; };
        if (is(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES))
            storage16 |=
                as<VkPhysicalDevice16BitStorageFeatures>(any).storageBuffer16BitAccess != 0;
        if (is(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES))
            float16 |= as<VkPhysicalDeviceShaderFloat16Int8Features>(any).shaderFloat16 != 0;
        if (is(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES))
            addresses |=
                as<VkPhysicalDeviceBufferDeviceAddressFeatures>(any).bufferDeviceAddress != 0;
        if (is(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES))
            timeline |= as<VkPhysicalDeviceTimelineSemaphoreFeatures>(any).timelineSemaphore != 0;
        if (is(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES))
            query_reset |= as<VkPhysicalDeviceHostQueryResetFeatures>(any).hostQueryReset != 0;
        if (is(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES))
            memory_model |=
                as<VkPhysicalDeviceVulkanMemoryModelFeatures>(any).vulkanMemoryModel != 0;
        if (is(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES))
            synchronization2 |=
                as<VkPhysicalDeviceSynchronization2Features>(any).synchronization2 != 0;
        if (is(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES))
            maintenance4 |= as<VkPhysicalDeviceMaintenance4Features>(any).maintenance4 != 0;
        if (is(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES)) {
            const auto& sizes = as<VkPhysicalDeviceSubgroupSizeControlFeatures>(any);
            size_control |= sizes.subgroupSizeControl != 0;
            full_subgroups |= sizes.computeFullSubgroups != 0;
        }
        if (is(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR))
            matrices |=
                as<VkPhysicalDeviceCooperativeMatrixFeaturesKHR>(any).cooperativeMatrix != 0;
    }

    const VkDeviceCreateInfo& made_;
};

void require_compute(const DeviceInfo& info, uint32_t family) {
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(info.handle, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(info.handle, &count, families.data());
    if (family >= count || !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        throw Error("queue family " + std::to_string(family) + " of " + info.name +
                    " has no compute: lend a queue of another");
}

}  // namespace

Features enabled_features(const DeviceInfo& info, const LentDevice& lent) {
    const EnabledFeatures on(*lent.made_with);
    const auto require = [&](bool there, const char* what) {
        if (!there)
            throw Error("the device of " + info.name + " was made without " + what +
                        ": enable it in vkCreateDevice");
    };
    require(on.has_extension(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME), "VK_KHR_push_descriptor");
    require(on.timeline, "the feature timelineSemaphore");
    require(on.query_reset, "the feature hostQueryReset");
    require(on.synchronization2, "the feature synchronization2");
    require(on.maintenance4, "the feature maintenance4");
    require_compute(info, lent.queue_family);

    Features use = info.features;
    use.storage16 = use.storage16 && on.storage16;
    use.float16 = use.float16 && on.float16;
    use.float64 = use.float64 && on.float64;
    use.addresses = use.addresses && on.addresses;
    use.subgroup_size_control = use.subgroup_size_control && on.size_control && on.full_subgroups;
    use.cooperative_matrix = use.cooperative_matrix && on.matrices && use.float16 &&
                             use.storage16 && use.subgroup_size_control && on.memory_model &&
                             on.has_extension(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
    use.chains = use.chains && use.addresses && use.storage16;
    use.memory_budget = use.memory_budget && on.has_extension(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    use.pipeline_statistics = use.external_fds = false;
    return use;
}

}  // namespace saccade
