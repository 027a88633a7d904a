#include "gpu/core/instance.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include "gpu/core/check.h"

namespace saccade {

namespace {

// The subgroup size of kernels on cooperative matrices, where a device has several sizes.
constexpr uint32_t matrix_lanes = 32;

constexpr const char* validation_layer = "VK_LAYER_KHRONOS_validation";

VKAPI_ATTR VkBool32 VKAPI_CALL on_debug_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                VkDebugUtilsMessageTypeFlagsEXT,
                                                const VkDebugUtilsMessengerCallbackDataEXT* data,
                                                void* user) {
    static_cast<const Instance*>(user)->message(data->pMessage);
    return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(Instance* instance) {
    VkDebugUtilsMessengerCreateInfoEXT info{
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    info.pfnUserCallback = on_debug_message;
    info.pUserData = instance;
    return info;
}

bool has_layer(const char* name) {
    uint32_t count = 0;
    vkEnumerateInstanceLayerProperties(&count, nullptr);
    std::vector<VkLayerProperties> layers(count);
    vkEnumerateInstanceLayerProperties(&count, layers.data());
    return std::ranges::any_of(
        layers, [&](const auto& layer) { return std::strcmp(layer.layerName, name) == 0; });
}

bool has_instance_extension(const char* name) {
    uint32_t count = 0;
    vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> extensions(count);
    vkEnumerateInstanceExtensionProperties(nullptr, &count, extensions.data());
    return std::ranges::any_of(
        extensions, [&](const auto& e) { return std::strcmp(e.extensionName, name) == 0; });
}

DeviceKind kind_of(VkPhysicalDeviceType type) {
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
            return DeviceKind::discrete;
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
            return DeviceKind::integrated;
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
            return DeviceKind::virtual_gpu;
        case VK_PHYSICAL_DEVICE_TYPE_CPU:
            return DeviceKind::cpu;
        default:
            return DeviceKind::other;
    }
}

std::string version_text(uint32_t version) {
    return std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
           std::to_string(VK_API_VERSION_MINOR(version)) + "." +
           std::to_string(VK_API_VERSION_PATCH(version));
}

// The cooperative-matrix shapes that the kernels use: fp16 x fp16 + fp32 in subgroup scope.
std::vector<MatrixShape> matrix_shapes(VkInstance instance, VkPhysicalDevice device) {
    auto get = reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR>(
        vkGetInstanceProcAddr(instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
    if (!get) return {};
    uint32_t count = 0;
    get(device, &count, nullptr);
    std::vector<VkCooperativeMatrixPropertiesKHR> all(
        count, {.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR});
    get(device, &count, all.data());
    std::vector<MatrixShape> shapes;
    for (const auto& p : all) {
        if (p.AType == VK_COMPONENT_TYPE_FLOAT16_KHR && p.BType == VK_COMPONENT_TYPE_FLOAT16_KHR &&
            p.CType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
            p.ResultType == VK_COMPONENT_TYPE_FLOAT32_KHR && p.scope == VK_SCOPE_SUBGROUP_KHR)
            shapes.push_back({p.MSize, p.NSize, p.KSize});
    }
    return shapes;
}

// The names of a device's extensions.
class Extensions {
public:
    explicit Extensions(VkPhysicalDevice device) {
        uint32_t count = 0;
        vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
        all_.resize(count);
        vkEnumerateDeviceExtensionProperties(device, nullptr, &count, all_.data());
    }
    bool has(const char* name) const {
        return std::ranges::any_of(
            all_, [&](const auto& e) { return std::strcmp(e.extensionName, name) == 0; });
    }

private:
    std::vector<VkExtensionProperties> all_;
};

// A pNext chain may only hold structures of extensions that the device has.
struct PropertyChain {
    PropertyChain(VkPhysicalDevice device, const Extensions& extensions) {
        if (extensions.has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME))
            p13.pNext = &nvidia;
        else if (extensions.has(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME))
            p13.pNext = &amd;
        vkGetPhysicalDeviceProperties2(device, &all);
    }
    PropertyChain(const PropertyChain&) = delete;
    PropertyChain& operator=(const PropertyChain&) = delete;

    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
    VkPhysicalDeviceShaderCorePropertiesAMD amd{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD};
    VkPhysicalDeviceVulkan13Properties p13{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
    VkPhysicalDeviceVulkan12Properties p12{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, .pNext = &p13};
    VkPhysicalDeviceVulkan11Properties p11{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, .pNext = &p12};
    VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                    .pNext = &p11};
    const VkPhysicalDeviceLimits& limits = all.properties.limits;
};

struct FeatureChain {
    FeatureChain(VkPhysicalDevice device, const Extensions& extensions) {
        if (extensions.has(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME)) f13.pNext = &coop;
        vkGetPhysicalDeviceFeatures2(device, &all);
    }
    FeatureChain(const FeatureChain&) = delete;
    FeatureChain& operator=(const FeatureChain&) = delete;

    VkPhysicalDeviceCooperativeMatrixFeaturesKHR coop{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    VkPhysicalDeviceVulkan13Features f13{.sType =
                                             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features f12{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &f13};
    VkPhysicalDeviceVulkan11Features f11{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &f12};
    VkPhysicalDeviceFeatures2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                  .pNext = &f11};
};

Limits limits_of(const PropertyChain& properties) {
    const VkPhysicalDeviceLimits& limits = properties.limits;
    const VkPhysicalDeviceShaderCorePropertiesAMD& amd = properties.amd;
    return {
        .storage_range = limits.maxStorageBufferRange,
        .storage_alignment = limits.minStorageBufferOffsetAlignment,
        .buffer_bytes = properties.p13.maxBufferSize,
        .allocation_bytes = properties.p11.maxMemoryAllocationSize,
        .push_constant_bytes = limits.maxPushConstantsSize,
        .shared_bytes = limits.maxComputeSharedMemorySize,
        .workgroup_threads = limits.maxComputeWorkGroupInvocations,
        .workgroup_size = {limits.maxComputeWorkGroupSize[0], limits.maxComputeWorkGroupSize[1],
                           limits.maxComputeWorkGroupSize[2]},
        .workgroup_count = {limits.maxComputeWorkGroupCount[0], limits.maxComputeWorkGroupCount[1],
                            limits.maxComputeWorkGroupCount[2]},
        .subgroup_size = properties.p11.subgroupSize,
        .image_side = limits.maxImageDimension2D,
        .cores = properties.nvidia.shaderSMCount + amd.shaderEngineCount *
                                                       amd.shaderArraysPerEngineCount *
                                                       amd.computeUnitsPerShaderArray,
        .timestamp_ns = limits.timestampComputeAndGraphics ? double(limits.timestampPeriod) : 0.0,
    };
}

// Fills in the features that the engine uses, and adjusts the limits that depend on them.
void find_features(DeviceInfo& info, const PropertyChain& properties, const FeatureChain& features,
                   VkInstance instance) {
    const VkPhysicalDeviceVulkan11Properties& p11 = properties.p11;
    Features& use = info.features;
    use.storage16 = features.f11.storageBuffer16BitAccess;
    use.float16 = features.f12.shaderFloat16;
    use.float64 = features.all.features.shaderFloat64;
    use.addresses = features.f12.bufferDeviceAddress;
    use.subgroup_arithmetic =
        (p11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) &&
        (p11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT);
    use.subgroup_size_control =
        features.f13.subgroupSizeControl && features.f13.computeFullSubgroups;
    // Mesa's software Vulkan loads storage buffers element by element, each behind a branch, and a
    // texel of four floats at once. Every buffer that can be bound must fit into a texel buffer,
    // too.
    const VkPhysicalDeviceLimits& limits = properties.limits;
    use.texel_loads =
        info.kind == DeviceKind::cpu &&
        limits.maxTexelBufferElements >= limits.maxStorageBufferRange / sizeof(uint32_t);
    if (use.texel_loads)
        info.limits.storage_alignment = std::max(
            info.limits.storage_alignment, properties.p13.storageTexelBufferOffsetAlignmentBytes);
    const bool shuffles = (p11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0;
    if (features.coop.cooperativeMatrix && use.float16 && features.f12.vulkanMemoryModel &&
        use.storage16 && use.subgroup_size_control && shuffles)
        use.matrix_shapes = matrix_shapes(instance, info.handle);
    // Software devices multiply matrices of 8x8 element by element: only tests do.
    use.cooperative_matrix = !use.matrix_shapes.empty() && info.kind != DeviceKind::cpu;
    // AMD's GPUs have subgroups of 64 and of 32 threads: one of 64 holds a matrix several times.
    if (use.cooperative_matrix && properties.p13.minSubgroupSize <= matrix_lanes)
        info.limits.subgroup_size = std::min(info.limits.subgroup_size, matrix_lanes);
    use.chains = info.limits.cores > 0 && use.addresses && use.storage16 &&
                 use.subgroup_arithmetic && shuffles && p11.subgroupSize >= 4;
}

DeviceInfo describe(VkInstance instance, VkPhysicalDevice device) {
    DeviceInfo info;
    info.handle = device;
    VkPhysicalDeviceProperties basic;
    vkGetPhysicalDeviceProperties(device, &basic);
    info.name = basic.deviceName;
    info.kind = kind_of(basic.deviceType);
    info.api_version = version_text(basic.apiVersion);
    info.vendor_id = basic.vendorID;
    info.device_id = basic.deviceID;
    if (basic.apiVersion < VK_API_VERSION_1_3) {
        info.unusable = "it has Vulkan " + info.api_version + ", 1.3 is needed: update its driver";
        return info;
    }
    const Extensions extensions(device);
    const PropertyChain properties(device, extensions);
    const FeatureChain features(device, extensions);
    info.driver = std::string(properties.p12.driverName) + " " + properties.p12.driverInfo;
    info.limits = limits_of(properties);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(device, &memory);
    for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
        if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            info.memory_bytes += memory.memoryHeaps[i].size;
    find_features(info, properties, features, instance);
    info.features.pipeline_statistics =
        extensions.has(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
    info.features.memory_budget = extensions.has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    info.features.external_fds = extensions.has(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME) &&
                                 extensions.has(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);

    auto require = [&](bool there, const char* what) {
        if (!there && info.unusable.empty()) info.unusable = std::string("it lacks ") + what;
    };
    require(extensions.has(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME), "VK_KHR_push_descriptor");
    require(info.features.subgroup_arithmetic, "arithmetic in subgroups");
    require(features.f12.timelineSemaphore, "timeline semaphores");
    require(features.f12.hostQueryReset, "the reset of queries by the host");
    require(features.f13.synchronization2, "synchronization2");
    require(features.f13.maintenance4, "maintenance4");
    return info;
}

int preference(DeviceKind kind) { return static_cast<int>(kind); }

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

}  // namespace

std::string_view name_of(DeviceKind kind) {
    switch (kind) {
        case DeviceKind::discrete:
            return "discrete GPU";
        case DeviceKind::integrated:
            return "integrated GPU";
        case DeviceKind::virtual_gpu:
            return "virtual GPU";
        case DeviceKind::cpu:
            return "CPU";
        case DeviceKind::other:
            break;
    }
    return "other";
}

Instance::Instance(Options options) : options_(std::move(options)) {
    std::vector<const char*> extensions, layers;
    for (const std::string& name : options_.extensions) extensions.push_back(name.c_str());
    if (has_instance_extension(VK_EXT_DEBUG_UTILS_EXTENSION_NAME)) {
        debug_utils_ = true;
        extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    }
    if (options_.validation) {
        if (!has_layer(validation_layer) || !debug_utils_)
            throw Error(
                "the Vulkan validation layers are not installed: install "
                "vulkan-validationlayers, or run without them");
        layers.push_back(validation_layer);
    }
    VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.pApplicationName = "saccade";
    application.apiVersion = VK_API_VERSION_1_3;
    VkDebugUtilsMessengerCreateInfoEXT messages = messenger_info(this);
    // Synchronisation validation is off by default. The engine writes its own barriers, so it is
    // on.
    VkValidationFeatureEnableEXT enable[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    VkValidationFeaturesEXT validation{
        VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, &messages, 1, enable, 0, nullptr};
    VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pNext = options_.validation ? &validation : nullptr;
    info.pApplicationInfo = &application;
    info.enabledLayerCount = static_cast<uint32_t>(layers.size());
    info.ppEnabledLayerNames = layers.data();
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    check(vkCreateInstance(&info, nullptr, &instance_), "starting Vulkan");
    try {
        find_devices();
    } catch (...) {
        vkDestroyInstance(instance_, nullptr);  // the destructor does not run
        throw;
    }

    if (options_.validation) {
        auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
            vkGetInstanceProcAddr(instance_, "vkCreateDebugUtilsMessengerEXT"));
        if (create) create(instance_, &messages, nullptr, &messenger_);
    }
}

Instance::Instance(VkInstance lent, VkPhysicalDevice device) : instance_(lent), lent_(true) {
    devices_.push_back(describe(lent, device));
}

Instance::~Instance() {
    if (lent_) return;
    if (messenger_) {
        auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
            vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"));
        destroy(instance_, messenger_, nullptr);
    }
    // The messenger in the pNext chain of the instance reports leaks from here on.
    vkDestroyInstance(instance_, nullptr);
}

void Instance::message(std::string_view text) const {
    if (options_.on_message) options_.on_message(text);
}

void Instance::find_devices() {
    uint32_t count = 0;
    check(vkEnumeratePhysicalDevices(instance_, &count, nullptr), "listing the Vulkan devices");
    std::vector<VkPhysicalDevice> handles(count);
    VkResult result = vkEnumeratePhysicalDevices(instance_, &count, handles.data());
    if (result != VK_INCOMPLETE) check(result, "listing the Vulkan devices");
    for (VkPhysicalDevice handle : handles) devices_.push_back(describe(instance_, handle));
    std::ranges::stable_sort(devices_, {}, [](const DeviceInfo& d) { return preference(d.kind); });
    for (uint32_t i = 0; i < devices_.size(); ++i) devices_[i].index = i;
}

const DeviceInfo& Instance::choose(std::string_view wanted) const {
    if (devices_.empty())
        throw Error(
            "no Vulkan device was found: install a driver (mesa-vulkan-drivers runs on any "
            "CPU)");
    const DeviceInfo* found = nullptr;
    if (wanted.empty()) {
        auto usable = std::ranges::find_if(devices_, [](auto& d) { return d.unusable.empty(); });
        found = usable == devices_.end() ? &devices_.front() : &*usable;
    } else {
        uint32_t index = 0;
        auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
        bool number = error == std::errc() && end == wanted.data() + wanted.size();
        for (const DeviceInfo& device : devices_) {
            if (number ? device.index == index
                       : lower(device.name).find(lower(wanted)) != std::string::npos) {
                found = &device;
                break;
            }
        }
        if (!found)
            throw Error("no Vulkan device is called '" + std::string(wanted) +
                        "': 'saccade devices' lists them");
    }
    if (!found->unusable.empty())
        throw Error("the Vulkan device '" + found->name + "' cannot be used: " + found->unusable);
    return *found;
}

}  // namespace saccade
