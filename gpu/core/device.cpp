#include "gpu/core/device.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "gpu/core/check.h"
#include "gpu/core/pipelines.h"
#include "gpu/core/tensor.h"
#include "gpu/core/vma.h"

namespace saccade {

namespace {

std::vector<VkQueueFamilyProperties> queue_families(const DeviceInfo& info) {
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(info.handle, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(info.handle, &count, families.data());
    return families;
}

// A queue family with compute. With a window it should have graphics, too, because blits need that.
// Without a window a compute-only queue is better: on NVIDIA each barrier takes about a microsecond
// less there, and kernels that need much shared memory run up to twice as fast.
uint32_t find_queue_family(const DeviceInfo& info, bool presents) {
    const std::vector<VkQueueFamilyProperties> families = queue_families(info);
    std::optional<uint32_t> other;
    for (uint32_t i = 0; i < families.size(); ++i) {
        if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)) continue;
        const bool draws = families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT;
        if (draws == presents) return i;
        if (!other) other = i;
    }
    if (other) return *other;
    throw Error("the Vulkan device '" + info.name +
                "' has no compute queue: choose another with "
                "--device");
}

uint64_t resident_bytes() {
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (!file) return 0;
    unsigned long total = 0, resident = 0;
    int read = std::fscanf(file, "%lu %lu", &total, &resident);
    std::fclose(file);
    return read == 2 ? uint64_t(resident) * uint64_t(sysconf(_SC_PAGESIZE)) : 0;
}

// Small buffers share allocations of this size. VMA's own choice (256 MiB) would be more than a
// whole model; large buffers get an allocation of their own in any case.
constexpr uint64_t shared_block_bytes = 8ull << 20;

// The feature structures of Vulkan that the device is created with, and the extensions to enable.
struct EnabledFeatures {
    EnabledFeatures(const Features& has, const Device::Options& options) {
        for (const std::string& name : options.extensions) extensions.push_back(name.c_str());
        if (has.memory_budget) extensions.push_back(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
        if (has.external_fds) {
            extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
            extensions.push_back(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
        }
        f13.synchronization2 = f13.maintenance4 = VK_TRUE;
        f13.subgroupSizeControl = f13.computeFullSubgroups = has.subgroup_size_control;
        f12.timelineSemaphore = f12.hostQueryReset = VK_TRUE;
        f12.shaderFloat16 = has.float16;
        f12.bufferDeviceAddress = has.addresses;
        f12.vulkanMemoryModel = has.cooperative_matrix;
        f11.storageBuffer16BitAccess = has.storage16;
        all.features.shaderFloat64 = has.float64;
        if (has.cooperative_matrix) {
            matrices.cooperativeMatrix = VK_TRUE;
            add(matrices, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
        }
        if (!options.executes && has.pipeline_statistics) {
            statistics.pipelineExecutableInfo = VK_TRUE;
            add(statistics, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
        }
    }
    EnabledFeatures(const EnabledFeatures&) = delete;
    EnabledFeatures& operator=(const EnabledFeatures&) = delete;

    template <typename Structure>
    void add(Structure& structure, const char* extension) {
        structure.pNext = std::exchange(f13.pNext, &structure);
        extensions.push_back(extension);
    }

    std::vector<const char*> extensions = {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME};
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR statistics{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
    VkPhysicalDeviceVulkan13Features f13{.sType =
                                             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features f12{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &f13};
    VkPhysicalDeviceVulkan11Features f11{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &f12};
    VkPhysicalDeviceFeatures2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                  .pNext = &f11};
};

}  // namespace

Device::Device(const Instance& instance, const DeviceInfo& info, Options options)
    : instance_(instance),
      info_(info),
      queue_family_(options.lent ? options.lent->queue_family
                                 : find_queue_family(info, !options.extensions.empty())),
      lent_(options.lent.has_value()) {
    if (lent_) info_.features = options.lent->features;
    limit_features(options);
    try {
        if (lent_) {
            device_ = options.lent->device;
            queue_ = options.lent->queue;
        } else {
            create_device(options);
        }
        if (options.executes) {
            create_allocator();
            create_timeline();
        }
        pipelines_ = std::make_unique<Pipelines>(*this, std::move(options.pipeline_cache));
        choices_ = std::make_unique<Choices>(Choices::Options{
            .file = std::move(options.tiles),
            .device = info_.name + ", " + info_.driver,
            .measure =
                options.tunes && options.executes && !is_cpu() && info_.limits.timestamp_ns > 0,
            .on_measuring = std::move(options.on_tuning)});
    } catch (...) {
        close();  // the destructor does not run
        throw;
    }
}

// Leaves out what the options, this build or the queue do not allow.
void Device::limit_features(const Options& options) {
    Features& has = info_.features;
    if (!options.cooperative_matrix || !Pipelines::built("linear.coopmat.f16"))
        has.cooperative_matrix = false;
    if (!has.cooperative_matrix) has.matrix_shapes.clear();
    if (!options.texel_loads) has.texel_loads = false;
    if (!options.sums_in_fours) has.sums_in_fours = false;
    if (options.chain_workgroups > 0) {
        info_.limits.cores = options.chain_workgroups;
        has.chains = has.addresses && has.storage16;
    }
    if (!options.chains) has.chains = false;
    // The bits of a timestamp above timestampValidBits are undefined.
    const uint32_t bits = queue_families(info_)[queue_family_].timestampValidBits;
    if (bits == 0) info_.limits.timestamp_ns = 0;
    info_.limits.timestamp_mask = bits < 64 ? (uint64_t{1} << bits) - 1 : UINT64_MAX;
}

void Device::create_device(const Options& options) {
    const EnabledFeatures enabled(info_.features, options);
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = queue_family_;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo device{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &enabled.all};
    device.queueCreateInfoCount = 1;
    device.pQueueCreateInfos = &queue;
    device.enabledExtensionCount = static_cast<uint32_t>(enabled.extensions.size());
    device.ppEnabledExtensionNames = enabled.extensions.data();
    check(vkCreateDevice(info_.handle, &device, nullptr, &device_),
          "opening the Vulkan device '" + info_.name + "'");
    vkGetDeviceQueue(device_, queue_family_, 0, &queue_);
    if (instance_.names_objects())
        set_name_ =
            reinterpret_cast<void*>(vkGetDeviceProcAddr(device_, "vkSetDebugUtilsObjectNameEXT"));
    name(queue_, VK_OBJECT_TYPE_QUEUE, "queue");
}

void Device::create_allocator() {
    VmaAllocatorCreateInfo allocator{};
    if (info_.features.memory_budget) allocator.flags |= VMA_ALLOCATOR_CREATE_EXT_MEMORY_BUDGET_BIT;
    if (info_.features.addresses) allocator.flags |= VMA_ALLOCATOR_CREATE_BUFFER_DEVICE_ADDRESS_BIT;
    allocator.physicalDevice = info_.handle;
    allocator.device = device_;
    allocator.instance = instance_.handle();
    allocator.vulkanApiVersion = VK_API_VERSION_1_3;
    allocator.preferredLargeHeapBlockSize = shared_block_bytes;
    check(vmaCreateAllocator(&allocator, &allocator_), "setting up the memory allocator");
}

void Device::create_timeline() {
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                   VK_SEMAPHORE_TYPE_TIMELINE, 0};
    VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    check(vkCreateSemaphore(device_, &semaphore, nullptr, &timeline_), "creating the timeline");
    name(timeline_, VK_OBJECT_TYPE_SEMAPHORE, "timeline");
}

void Device::close() noexcept {
    pipelines_.reset();
    if (device_) vkDestroySemaphore(device_, timeline_, nullptr);
    vmaDestroyAllocator(allocator_);
    if (!lent_) vkDestroyDevice(device_, nullptr);
}

bool reaches(uint64_t wanted, const std::function<std::optional<uint64_t>()>& look,
             std::chrono::milliseconds patience) {
    using Clock = std::chrono::steady_clock;
    for (auto given_up = Clock::now() + patience; Clock::now() < given_up;) {
        if (const std::optional<uint64_t> value = look()) {
            if (*value >= wanted) return true;
            given_up = Clock::now() + patience;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

Device::~Device() {
    if (executes()) come_to_rest();
    close();
}

const HeldFragments& Device::held_fragments(HeldFragments (*ask)(Device&)) {
    std::call_once(fragments_asked_, [&] { held_fragments_ = ask(*this); });
    return held_fragments_;
}

uint64_t Device::address(const Tensor& tensor) const {
    if (!executes()) return 0;
    VkBufferDeviceAddressInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    info.buffer = tensor.buffer;
    return vkGetBufferDeviceAddress(device_, &info) + tensor.base +
           uint64_t(tensor.offset) * bytes_of(tensor.type);
}

Ticket Device::submit(std::span<const VkCommandBuffer> commands, std::string_view what,
                      SemaphorePoint wait, SemaphorePoint signal) {
    if (commands.size() > most_in_one_go)
        throw Error("'" + std::string(what) + "' is " + std::to_string(commands.size()) +
                    " recordings, at most " + std::to_string(most_in_one_go) +
                    " can be submitted in one go");
    const auto lock = lock_queue();
    if (!executes()) return {++submitted_};
    VkCommandBufferSubmitInfo buffers[most_in_one_go];
    for (size_t i = 0; i < commands.size(); ++i) {
        buffers[i] = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO};
        buffers[i].commandBuffer = commands[i];
    }
    auto semaphore = [](const SemaphorePoint& point) {
        VkSemaphoreSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
        info.semaphore = point.semaphore;
        info.value = point.value;
        info.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
        return info;
    };
    const VkSemaphoreSubmitInfo before = semaphore(wait);
    const VkSemaphoreSubmitInfo after[] = {semaphore({timeline_, submitted_ + 1}),
                                           semaphore(signal)};
    VkSubmitInfo2 submit{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    submit.waitSemaphoreInfoCount = wait.semaphore ? 1 : 0;
    submit.pWaitSemaphoreInfos = &before;
    submit.commandBufferInfoCount = static_cast<uint32_t>(commands.size());
    submit.pCommandBufferInfos = buffers;
    submit.signalSemaphoreInfoCount = signal.semaphore ? 2 : 1;
    submit.pSignalSemaphoreInfos = after;
    check(vkQueueSubmit2(queue_, 1, &submit, nullptr),
          "submitting '" + std::string(what) + "' to " + info_.name);
    return {++submitted_};
}

void Device::wait(Ticket ticket, std::string_view what) const {
    if (!executes()) return;
    VkSemaphoreWaitInfo wait{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    wait.semaphoreCount = 1;
    wait.pSemaphores = &timeline_;
    wait.pValues = &ticket.value;
    // Software Vulkan may take minutes for a large model; a GPU that does has hung.
    const uint64_t seconds = is_cpu() ? 3600 : 60;
    const uint64_t nanoseconds = seconds * 1'000'000'000ull;
    VkResult result = vkWaitSemaphores(device_, &wait, nanoseconds);
    // A failed allocation while waiting is no reason to return: the caller would free memory that
    // the device still uses.
    for (int i = 0; i < 3 && is_without_memory(result); ++i)
        result = vkWaitSemaphores(device_, &wait, nanoseconds);
    const auto look = [&]() -> std::optional<uint64_t> {
        uint64_t value = 0;
        if (vkGetSemaphoreCounterValue(device_, timeline_, &value) != VK_SUCCESS) return {};
        return value;
    };
    if (is_without_memory(result) && reaches(ticket.value, look)) return;
    check(result == VK_TIMEOUT ? VK_ERROR_DEVICE_LOST : result,
          "running '" + std::string(what) + "' on " + info_.name);
}

void Device::wait_idle() {
    const auto lock = lock_queue();
    // Every submission signals the timeline. Other queues of a device that is lent are not ours.
    const VkResult result = lent_ ? VK_SUCCESS : vkDeviceWaitIdle(device_);
    if (lent_ || is_without_memory(result)) return wait({submitted_}, "all that was submitted");
    check(result, "waiting for " + info_.name);
}

void Device::come_to_rest() noexcept {
    try {
        wait_idle();
    } catch (const std::exception&) {  // the device is lost, which wait() has reported before
    }
}

bool Device::reached(Ticket ticket) const {
    if (!executes()) return true;
    uint64_t value = 0;
    check(vkGetSemaphoreCounterValue(device_, timeline_, &value), "asking " + info_.name);
    return value >= ticket.value;
}

void Device::name(uint64_t object, int type, std::string_view text) const {
    if (!set_name_) return;
    std::string copy(text);
    VkDebugUtilsObjectNameInfoEXT info{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    info.objectType = static_cast<VkObjectType>(type);
    info.objectHandle = object;
    info.pObjectName = copy.c_str();
    reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(set_name_)(device_, &info);
}

MemoryUse Device::memory() const {
    if (!executes()) return {0, resident_bytes()};
    const VkPhysicalDeviceMemoryProperties* properties = nullptr;
    vmaGetMemoryProperties(allocator_, &properties);
    VmaBudget budgets[VK_MAX_MEMORY_HEAPS] = {};
    vmaGetHeapBudgets(allocator_, budgets);
    MemoryUse use{0, resident_bytes()};
    for (uint32_t i = 0; i < properties->memoryHeapCount; ++i)
        if (properties->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            use.device_bytes += budgets[i].statistics.blockBytes;
    return use;
}

}  // namespace saccade
