// A Vulkan layer for fault injection: it makes one call fail.
//
// Calls that may return a code are counted for each code:
//   SACCADE_FAULT="lost 12"          the 12th call that may return VK_ERROR_DEVICE_LOST does
//   SACCADE_FAULT="lost 12 device"   and so does every later one on that device
//   SACCADE_FAULT="lost 12 always"   and so does every later one
//   SACCADE_FAULT="lost 12 die"      that call ends the process with SIGILL, as a driver may that
//                                    was compiled for another processor
//   SACCADE_FAULT="lost 12 once vkQueueSubmit2"   only calls of this function are counted
//   SACCADE_FAULT_COUNTS=FILE        at the end, FILE has the number of calls for each code
// Codes: lost, device-memory, host-memory, out-of-date, surface-lost, no-init.
//
// A call that fails has no effect, as the specification demands. A lost device finishes its work
// before the call returns.

#include <signal.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace {

struct Code {
    const char* name;
    VkResult result;
};
constexpr Code codes[] = {{"lost", VK_ERROR_DEVICE_LOST},
                          {"device-memory", VK_ERROR_OUT_OF_DEVICE_MEMORY},
                          {"host-memory", VK_ERROR_OUT_OF_HOST_MEMORY},
                          {"out-of-date", VK_ERROR_OUT_OF_DATE_KHR},
                          {"surface-lost", VK_ERROR_SURFACE_LOST_KHR},
                          {"no-init", VK_ERROR_INITIALIZATION_FAILED}};
constexpr size_t code_count = sizeof codes / sizeof codes[0];

using Codes = std::initializer_list<VkResult>;

// The fault to inject, and the calls so far.
class Plan {
public:
    Plan() {
        const char* text = std::getenv("SACCADE_FAULT");
        char name[32] = "", mode[16] = "", function[64] = "";
        unsigned long long number = 0;
        if (!text || std::sscanf(text, "%31s %llu %15s %63s", name, &number, mode, function) < 2)
            return;
        for (const Code& code : codes)
            if (std::strcmp(code.name, name) == 0) result_ = code.result;
        number_ = number;
        function_ = function;
        device_ = std::strcmp(mode, "device") == 0;
        always_ = std::strcmp(mode, "always") == 0;
        dies_ = std::strcmp(mode, "die") == 0;
    }
    ~Plan() {
        const char* path = std::getenv("SACCADE_FAULT_COUNTS");
        std::FILE* const file = path ? std::fopen(path, "w") : nullptr;
        if (!file) return;
        for (size_t i = 0; i < code_count; ++i)
            std::fprintf(file, "%s %llu\n", codes[i].name, counts_[i]);
        std::fclose(file);
    }

    // The result of a call that may return these codes; VK_SUCCESS: the call is passed on.
    VkResult next(const char* function, Codes possible) {
        if (!function_.empty() && function_ != function) return VK_SUCCESS;
        const std::lock_guard lock(mutex_);
        bool fails = false;
        for (const VkResult one : possible)
            for (size_t i = 0; i < code_count; ++i) {
                if (codes[i].result != one) continue;
                const unsigned long long count = ++counts_[i];
                if (one != result_ || number_ == 0) continue;
                if (count == number_) broken_ = true;
                fails = fails || count == number_ ||
                        (count > number_ && (always_ || (device_ && broken_)));
            }
        if (fails && dies_) ::raise(SIGILL);
        return fails ? result_ : VK_SUCCESS;
    }
    // Other devices still work.
    void device_opened() {
        const std::lock_guard lock(mutex_);
        broken_ = false;
    }

private:
    std::mutex mutex_;
    VkResult result_ = VK_SUCCESS;
    unsigned long long number_ = 0, counts_[code_count] = {};
    std::string function_;  // empty: any
    bool device_ = false, always_ = false, dies_ = false, broken_ = false;
};

Plan& plan() {
    static Plan it;
    return it;
}

// The next layer's functions, by name, queried when the instance or the device is created: later
// the loader would return those of the first layer. All devices have the same driver.
VkInstance instance = nullptr;
PFN_vkGetInstanceProcAddr next_instance = nullptr;
PFN_vkGetDeviceProcAddr next_device = nullptr;
std::set<VkDevice> devices;  // a window has its own
using Functions = std::map<std::string, PFN_vkVoidFunction, std::less<>>;
Functions below;

template <typename Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(below.find(name)->second);
}

// A queue must be used by one thread at a time. The program ensures that for its own calls; but any
// thread may get the fault and wait for the device, so other calls are blocked meanwhile. Not every
// call has a device as argument, so all devices are waited for.
std::mutex queue_mutex;

void stop_device() {
    for (VkDevice device : devices) next<PFN_vkDeviceWaitIdle>("vkDeviceWaitIdle")(device);
}

// Fails if the fault is due, else passes the call on.
template <typename Function, typename... Arguments>
VkResult pass(const char* name, Codes possible, Arguments... arguments) {
    const VkResult result = plan().next(name, possible);
    if (result == VK_SUCCESS) return next<Function>(name)(arguments...);
    if (result == VK_ERROR_DEVICE_LOST) {
        const std::lock_guard lock(queue_mutex);
        stop_device();
    }
    return result;
}

template <typename Function, typename... Arguments>
VkResult pass_on_queue(const char* name, Codes possible, Arguments... arguments) {
    const std::lock_guard lock(queue_mutex);
    const VkResult result = plan().next(name, possible);
    if (result == VK_SUCCESS) return next<Function>(name)(arguments...);
    if (result == VK_ERROR_DEVICE_LOST) stop_device();
    return result;
}

#define MEMORY VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY

// Calls that create objects or record commands: out of memory.
#define NEEDS_MEMORY(name, parameters, ...)                           \
    VKAPI_ATTR VkResult VKAPI_CALL fault_##name parameters {          \
        return pass<PFN_vk##name>("vk" #name, {MEMORY}, __VA_ARGS__); \
    }
#define MAY_BE_LOST(name, parameters, ...)                                                  \
    VKAPI_ATTR VkResult VKAPI_CALL fault_##name parameters {                                \
        return pass<PFN_vk##name>("vk" #name, {MEMORY, VK_ERROR_DEVICE_LOST}, __VA_ARGS__); \
    }
#define ON_QUEUE(name, parameters, ...)                                                \
    VKAPI_ATTR VkResult VKAPI_CALL fault_##name parameters {                           \
        return pass_on_queue<PFN_vk##name>("vk" #name, {MEMORY, VK_ERROR_DEVICE_LOST}, \
                                           __VA_ARGS__);                               \
    }
#define ON_SURFACE(name, parameters, ...)                                                        \
    VKAPI_ATTR VkResult VKAPI_CALL fault_##name parameters {                                     \
        return pass<PFN_vk##name>("vk" #name, {MEMORY, VK_ERROR_SURFACE_LOST_KHR}, __VA_ARGS__); \
    }
#define CREATES(Object)                                                      \
    NEEDS_MEMORY(Create##Object,                                             \
                 (VkDevice d, const Vk##Object##CreateInfo* info,            \
                  const VkAllocationCallbacks* callbacks, Vk##Object* made), \
                 d, info, callbacks, made)

CREATES(Buffer)
CREATES(Image)
CREATES(ImageView)
CREATES(BufferView)
CREATES(CommandPool)
CREATES(Semaphore)
CREATES(QueryPool)
CREATES(DescriptorSetLayout)
CREATES(PipelineLayout)
CREATES(ShaderModule)
CREATES(PipelineCache)
NEEDS_MEMORY(AllocateMemory,
             (VkDevice d, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks* callbacks,
              VkDeviceMemory* made),
             d, info, callbacks, made)
NEEDS_MEMORY(BindBufferMemory, (VkDevice d, VkBuffer b, VkDeviceMemory m, VkDeviceSize o), d, b, m,
             o)
NEEDS_MEMORY(BindImageMemory, (VkDevice d, VkImage i, VkDeviceMemory m, VkDeviceSize o), d, i, m, o)
NEEDS_MEMORY(BindBufferMemory2, (VkDevice d, uint32_t n, const VkBindBufferMemoryInfo* b), d, n, b)
NEEDS_MEMORY(BindImageMemory2, (VkDevice d, uint32_t n, const VkBindImageMemoryInfo* b), d, n, b)
NEEDS_MEMORY(MapMemory,
             (VkDevice d, VkDeviceMemory m, VkDeviceSize o, VkDeviceSize s, VkMemoryMapFlags f,
              void** p),
             d, m, o, s, f, p)
NEEDS_MEMORY(AllocateCommandBuffers,
             (VkDevice d, const VkCommandBufferAllocateInfo* info, VkCommandBuffer* made), d, info,
             made)
NEEDS_MEMORY(BeginCommandBuffer, (VkCommandBuffer c, const VkCommandBufferBeginInfo* info), c, info)
NEEDS_MEMORY(EndCommandBuffer, (VkCommandBuffer c), c)
NEEDS_MEMORY(ResetCommandPool, (VkDevice d, VkCommandPool p, VkCommandPoolResetFlags f), d, p, f)
NEEDS_MEMORY(GetPipelineCacheData, (VkDevice d, VkPipelineCache c, size_t* s, void* p), d, c, s, p)
NEEDS_MEMORY(GetSwapchainImagesKHR, (VkDevice d, VkSwapchainKHR s, uint32_t* n, VkImage* i), d, s,
             n, i)

VKAPI_ATTR VkResult VKAPI_CALL fault_CreateComputePipelines(
    VkDevice d, VkPipelineCache cache, uint32_t n, const VkComputePipelineCreateInfo* infos,
    const VkAllocationCallbacks* callbacks, VkPipeline* made) {
    const VkResult result = pass<PFN_vkCreateComputePipelines>("vkCreateComputePipelines", {MEMORY},
                                                               d, cache, n, infos, callbacks, made);
    if (result < 0)
        for (uint32_t i = 0; i < n; ++i) made[i] = VK_NULL_HANDLE;
    return result;
}

ON_QUEUE(QueueSubmit, (VkQueue q, uint32_t n, const VkSubmitInfo* s, VkFence f), q, n, s, f)
ON_QUEUE(QueueSubmit2, (VkQueue q, uint32_t n, const VkSubmitInfo2* s, VkFence f), q, n, s, f)
ON_QUEUE(QueueWaitIdle, (VkQueue q), q)
ON_QUEUE(DeviceWaitIdle, (VkDevice d), d)
MAY_BE_LOST(WaitSemaphores, (VkDevice d, const VkSemaphoreWaitInfo* w, uint64_t t), d, w, t)
MAY_BE_LOST(GetQueryPoolResults,
            (VkDevice d, VkQueryPool p, uint32_t first, uint32_t n, size_t bytes, void* data,
             VkDeviceSize stride, VkQueryResultFlags flags),
            d, p, first, n, bytes, data, stride, flags)

// Only a poll that finds something new counts: the number of other polls depends on the machine's
// speed.
VKAPI_ATTR VkResult VKAPI_CALL fault_GetSemaphoreCounterValue(VkDevice d, VkSemaphore semaphore,
                                                              uint64_t* value) {
    static std::mutex mutex;
    static uint64_t last = 0;
    const auto look = next<PFN_vkGetSemaphoreCounterValue>("vkGetSemaphoreCounterValue");
    const VkResult result = look(d, semaphore, value);
    {
        const std::lock_guard lock(mutex);
        if (result != VK_SUCCESS || std::exchange(last, *value) == *value) return result;
    }
    return pass<PFN_vkGetSemaphoreCounterValue>(
        "vkGetSemaphoreCounterValue", {MEMORY, VK_ERROR_DEVICE_LOST}, d, semaphore, value);
}

ON_SURFACE(GetPhysicalDeviceSurfaceSupportKHR,
           (VkPhysicalDevice p, uint32_t f, VkSurfaceKHR s, VkBool32* b), p, f, s, b)
ON_SURFACE(GetPhysicalDeviceSurfaceCapabilitiesKHR,
           (VkPhysicalDevice p, VkSurfaceKHR s, VkSurfaceCapabilitiesKHR* c), p, s, c)
ON_SURFACE(GetPhysicalDeviceSurfaceFormatsKHR,
           (VkPhysicalDevice p, VkSurfaceKHR s, uint32_t* n, VkSurfaceFormatKHR* f), p, s, n, f)
ON_SURFACE(GetPhysicalDeviceSurfacePresentModesKHR,
           (VkPhysicalDevice p, VkSurfaceKHR s, uint32_t* n, VkPresentModeKHR* m), p, s, n, m)

VKAPI_ATTR VkResult VKAPI_CALL fault_CreateSwapchainKHR(VkDevice d,
                                                        const VkSwapchainCreateInfoKHR* info,
                                                        const VkAllocationCallbacks* callbacks,
                                                        VkSwapchainKHR* made) {
    return pass<PFN_vkCreateSwapchainKHR>(
        "vkCreateSwapchainKHR",
        {MEMORY, VK_ERROR_DEVICE_LOST, VK_ERROR_SURFACE_LOST_KHR, VK_ERROR_INITIALIZATION_FAILED},
        d, info, callbacks, made);
}

VKAPI_ATTR VkResult VKAPI_CALL fault_AcquireNextImageKHR(VkDevice d, VkSwapchainKHR s, uint64_t t,
                                                         VkSemaphore semaphore, VkFence f,
                                                         uint32_t* index) {
    return pass<PFN_vkAcquireNextImageKHR>(
        "vkAcquireNextImageKHR",
        {MEMORY, VK_ERROR_DEVICE_LOST, VK_ERROR_OUT_OF_DATE_KHR, VK_ERROR_SURFACE_LOST_KHR}, d, s,
        t, semaphore, f, index);
}

VKAPI_ATTR VkResult VKAPI_CALL fault_QueuePresentKHR(VkQueue q, const VkPresentInfoKHR* info) {
    return pass_on_queue<PFN_vkQueuePresentKHR>(
        "vkQueuePresentKHR",
        {MEMORY, VK_ERROR_DEVICE_LOST, VK_ERROR_OUT_OF_DATE_KHR, VK_ERROR_SURFACE_LOST_KHR}, q,
        info);
}

VKAPI_ATTR VkResult VKAPI_CALL fault_EnumeratePhysicalDevices(VkInstance i, uint32_t* n,
                                                              VkPhysicalDevice* found) {
    return pass<PFN_vkEnumeratePhysicalDevices>(
        "vkEnumeratePhysicalDevices", {MEMORY, VK_ERROR_INITIALIZATION_FAILED}, i, n, found);
}

const Functions& own_of_instances();
const Functions& own_of_devices();

// The link to the next layer; each layer advances it for the one after.
template <typename Link, typename Info>
Link* link_in(const Info* info, VkStructureType type) {
    auto* link = static_cast<Link*>(const_cast<void*>(info->pNext));
    while (link && (link->sType != type || link->function != VK_LAYER_LINK_INFO))
        link = static_cast<Link*>(const_cast<void*>(link->pNext));
    return link;
}

VKAPI_ATTR VkResult VKAPI_CALL fault_CreateInstance(const VkInstanceCreateInfo* info,
                                                    const VkAllocationCallbacks* callbacks,
                                                    VkInstance* made) {
    auto* link =
        link_in<VkLayerInstanceCreateInfo>(info, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    const VkResult fault =
        plan().next("vkCreateInstance", {MEMORY, VK_ERROR_INITIALIZATION_FAILED});
    if (fault != VK_SUCCESS) return fault;
    next_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create =
        reinterpret_cast<PFN_vkCreateInstance>(next_instance(nullptr, "vkCreateInstance"));
    const VkResult result = create(info, callbacks, made);
    if (result != VK_SUCCESS) return result;
    instance = *made;
    for (const auto& [name, ours] : own_of_instances())
        below[name] = next_instance(instance, name.c_str());
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL fault_CreateDevice(VkPhysicalDevice physical,
                                                  const VkDeviceCreateInfo* info,
                                                  const VkAllocationCallbacks* callbacks,
                                                  VkDevice* made) {
    auto* link =
        link_in<VkLayerDeviceCreateInfo>(info, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    plan().device_opened();
    const VkResult fault = plan().next(
        "vkCreateDevice", {MEMORY, VK_ERROR_DEVICE_LOST, VK_ERROR_INITIALIZATION_FAILED});
    if (fault != VK_SUCCESS) return fault;
    const auto instance_function = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create =
        reinterpret_cast<PFN_vkCreateDevice>(instance_function(instance, "vkCreateDevice"));
    const VkResult result = create(physical, info, callbacks, made);
    if (result != VK_SUCCESS) return result;
    const std::lock_guard lock(queue_mutex);
    devices.insert(*made);
    for (const auto& [name, ours] : own_of_devices())
        below[name] = next_device(*made, name.c_str());
    return result;
}

VKAPI_ATTR void VKAPI_CALL fault_DestroyDevice(VkDevice d, const VkAllocationCallbacks* callbacks) {
    const auto destroy = next<PFN_vkDestroyDevice>("vkDestroyDevice");
    {
        const std::lock_guard lock(queue_mutex);
        devices.erase(d);
    }
    destroy(d, callbacks);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fault_GetInstanceProcAddr(VkInstance i, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fault_GetDeviceProcAddr(VkDevice d, const char* name);

#define OWN(function) \
    { "vk" #function, reinterpret_cast<PFN_vkVoidFunction>(fault_##function) }
const Functions& own_of_devices() {
    static const Functions functions = {OWN(GetDeviceProcAddr),
                                        OWN(DestroyDevice),
                                        OWN(CreateBuffer),
                                        OWN(CreateImage),
                                        OWN(CreateImageView),
                                        OWN(CreateBufferView),
                                        OWN(CreateCommandPool),
                                        OWN(CreateSemaphore),
                                        OWN(CreateQueryPool),
                                        OWN(CreateDescriptorSetLayout),
                                        OWN(CreatePipelineLayout),
                                        OWN(CreateShaderModule),
                                        OWN(CreatePipelineCache),
                                        OWN(CreateComputePipelines),
                                        OWN(AllocateMemory),
                                        OWN(BindBufferMemory),
                                        OWN(BindImageMemory),
                                        OWN(BindBufferMemory2),
                                        OWN(BindImageMemory2),
                                        OWN(MapMemory),
                                        OWN(AllocateCommandBuffers),
                                        OWN(BeginCommandBuffer),
                                        OWN(EndCommandBuffer),
                                        OWN(ResetCommandPool),
                                        OWN(GetPipelineCacheData),
                                        OWN(QueueSubmit),
                                        OWN(QueueSubmit2),
                                        OWN(QueueWaitIdle),
                                        OWN(DeviceWaitIdle),
                                        OWN(WaitSemaphores),
                                        OWN(GetSemaphoreCounterValue),
                                        OWN(GetQueryPoolResults),
                                        OWN(CreateSwapchainKHR),
                                        OWN(GetSwapchainImagesKHR),
                                        OWN(AcquireNextImageKHR),
                                        OWN(QueuePresentKHR)};
    return functions;
}
const Functions& own_of_instances() {
    static const Functions functions = {OWN(GetInstanceProcAddr),
                                        OWN(CreateInstance),
                                        OWN(CreateDevice),
                                        OWN(EnumeratePhysicalDevices),
                                        OWN(GetPhysicalDeviceSurfaceSupportKHR),
                                        OWN(GetPhysicalDeviceSurfaceCapabilitiesKHR),
                                        OWN(GetPhysicalDeviceSurfaceFormatsKHR),
                                        OWN(GetPhysicalDeviceSurfacePresentModesKHR)};
    return functions;
}
#undef OWN

PFN_vkVoidFunction own(const std::string& name, bool of_device) {
    const auto found = own_of_devices().find(name);
    if (found != own_of_devices().end()) return found->second;
    const auto other = own_of_instances().find(name);
    return of_device || other == own_of_instances().end() ? nullptr : other->second;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fault_GetInstanceProcAddr(VkInstance i, const char* name) {
    if (const PFN_vkVoidFunction ours = own(name, false)) return ours;
    return i && next_instance ? next_instance(i, name) : nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fault_GetDeviceProcAddr(VkDevice d, const char* name) {
    // Only functions that the device has: those of disabled extensions stay null.
    const PFN_vkVoidFunction theirs = next_device ? next_device(d, name) : nullptr;
    const PFN_vkVoidFunction ours = own(name, true);
    return theirs && ours ? ours : theirs;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* version) {
    if (version->loaderLayerInterfaceVersion < 2) return VK_ERROR_INITIALIZATION_FAILED;
    version->loaderLayerInterfaceVersion = 2;
    version->pfnGetInstanceProcAddr = fault_GetInstanceProcAddr;
    version->pfnGetDeviceProcAddr = fault_GetDeviceProcAddr;
    version->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}
