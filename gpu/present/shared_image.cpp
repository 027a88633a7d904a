#include "gpu/present/shared_image.h"

#include <unistd.h>

#include <cstring>
#include <utility>

#include "gpu/core/check.h"
#include "gpu/core/image.h"

namespace saccade {

namespace {

constexpr auto memory_fd = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
constexpr auto semaphore_fd = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;

VkPhysicalDeviceIDProperties identity(const Device& device) {
    VkPhysicalDeviceIDProperties id{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                    .pNext = &id};
    vkGetPhysicalDeviceProperties2(device.info().handle, &all);
    return id;
}

bool shares_images(VkPhysicalDevice device) {
    const VkImageCreateInfo image = image_info({1, 1});
    VkPhysicalDeviceExternalImageFormatInfo external{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
        .handleType = memory_fd};
    VkPhysicalDeviceImageFormatInfo2 info{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
        .pNext = &external,
        .format = image.format,
        .type = image.imageType,
        .tiling = image.tiling,
        .usage = image.usage};
    VkExternalImageFormatProperties shared{.sType =
                                               VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
    VkImageFormatProperties2 properties{.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
                                        .pNext = &shared};
    if (vkGetPhysicalDeviceImageFormatProperties2(device, &info, &properties) != VK_SUCCESS)
        return false;
    const VkExternalMemoryFeatureFlags both =
        VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
    return (shared.externalMemoryProperties.externalMemoryFeatures & both) == both;
}

bool shares_timelines(VkPhysicalDevice device) {
    VkSemaphoreTypeCreateInfo timeline{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                       .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkPhysicalDeviceExternalSemaphoreInfo info{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
        .pNext = &timeline,
        .handleType = semaphore_fd};
    VkExternalSemaphoreProperties properties{.sType =
                                                 VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
    vkGetPhysicalDeviceExternalSemaphoreProperties(device, &info, &properties);
    const VkExternalSemaphoreFeatureFlags both =
        VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
    return (properties.externalSemaphoreFeatures & both) == both;
}

template <typename Function>
Function function_of(const Device& device, const char* name) {
    const auto function = reinterpret_cast<Function>(vkGetDeviceProcAddr(device.handle(), name));
    if (!function) throw Error(device.info().name + " has no " + name);
    return function;
}

// A file descriptor until a driver takes it over.
class Descriptor {
public:
    ~Descriptor() {
        if (value_ >= 0) ::close(value_);
    }
    Descriptor() = default;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int* out() { return &value_; }
    int value() const { return value_; }
    void taken_over() { value_ = -1; }

private:
    int value_ = -1;
};

// An image and its memory until an Image takes them over.
struct Made {
    explicit Made(Device& on) : device(on) {}
    ~Made() {
        vkDestroyImage(device.handle(), image, nullptr);
        vkFreeMemory(device.handle(), memory, nullptr);
    }
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;

    void make_image(Size size, const std::string& doing) {
        VkExternalMemoryImageCreateInfo external{
            .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, .handleTypes = memory_fd};
        VkImageCreateInfo info = image_info(size);
        info.pNext = &external;
        check(vkCreateImage(device.handle(), &info, nullptr, &image), doing);
    }
    // In memory of the image's own; `how` says whether it is exported or imported.
    void allocate(uint64_t bytes, uint32_t type, const void* how, const std::string& doing) {
        VkMemoryDedicatedAllocateInfo dedicated{
            .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
            .pNext = how,
            .image = image};
        VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .pNext = &dedicated,
                                  .allocationSize = bytes,
                                  .memoryTypeIndex = type};
        check(vkAllocateMemory(device.handle(), &info, nullptr, &memory), doing);
    }
    void bind(const std::string& doing) const {
        check(vkBindImageMemory(device.handle(), image, memory, 0), doing);
    }
    Image become(const std::string& name, Size size) {
        return {device, name, size, std::exchange(image, nullptr), std::exchange(memory, nullptr)};
    }

    Device& device;
    VkImage image = nullptr;
    VkDeviceMemory memory = nullptr;
};

uint32_t device_memory_type(const Device& device, uint32_t allowed) {
    VkPhysicalDeviceMemoryProperties all;
    vkGetPhysicalDeviceMemoryProperties(device.info().handle, &all);
    for (uint32_t i = 0; i < all.memoryTypeCount; ++i)
        if ((allowed >> i & 1) &&
            (all.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT))
            return i;
    throw Error(device.info().name + " has no memory for a picture that two devices see");
}

VkSemaphore make_timeline(Device& device, const void* next, const std::string& name) {
    VkSemaphoreTypeCreateInfo timeline{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                       .pNext = next,
                                       .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                               .pNext = &timeline};
    VkSemaphore semaphore = nullptr;
    check(vkCreateSemaphore(device.handle(), &info, nullptr, &semaphore),
          "creating the semaphore '" + name + "'");
    device.name(semaphore, VK_OBJECT_TYPE_SEMAPHORE, name);
    return semaphore;
}

}  // namespace

bool can_share_images(const Device& one, const Device& other) {
    if (!one.features().external_fds || !other.features().external_fds) return false;
    const VkPhysicalDeviceIDProperties a = identity(one), b = identity(other);
    return std::memcmp(a.deviceUUID, b.deviceUUID, VK_UUID_SIZE) == 0 &&
           std::memcmp(a.driverUUID, b.driverUUID, VK_UUID_SIZE) == 0 &&
           shares_images(one.info().handle) && shares_timelines(one.info().handle);
}

SharedImage::SharedImage(Device& drawing, Device& showing, const std::string& name, Size size) {
    const std::string doing = "making '" + name + "', a picture of " + std::to_string(size.x) +
                              "x" + std::to_string(size.y) + " that two devices see";
    Made exported(drawing), imported(showing);
    exported.make_image(size, doing);
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(drawing.handle(), exported.image, &needs);
    const uint32_t type = device_memory_type(drawing, needs.memoryTypeBits);
    VkExportMemoryAllocateInfo exporting{.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                         .handleTypes = memory_fd};
    exported.allocate(needs.size, type, &exporting, doing);
    exported.bind(doing);

    Descriptor descriptor;
    VkMemoryGetFdInfoKHR get{.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                             .memory = exported.memory,
                             .handleType = memory_fd};
    check(function_of<PFN_vkGetMemoryFdKHR>(drawing, "vkGetMemoryFdKHR")(drawing.handle(), &get,
                                                                         descriptor.out()),
          doing);
    // The importing device has to name the same size and the same type of memory.
    imported.make_image(size, doing);
    VkImportMemoryFdInfoKHR importing{.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
                                      .handleType = memory_fd,
                                      .fd = descriptor.value()};
    imported.allocate(needs.size, type, &importing, doing);
    descriptor.taken_over();
    imported.bind(doing);

    drawn = exported.become(name, size);
    shown = imported.become(name + ", imported", size);
}

SharedTimeline::SharedTimeline(Device& maker, Device& other, const std::string& name)
    : SharedTimeline(maker, other) {  // delegating: where what follows throws, the destructor runs
    VkExportSemaphoreCreateInfo exporting{.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                          .handleTypes = semaphore_fd};
    made_ = make_timeline(maker, &exporting, name);
    imported_ = make_timeline(other, nullptr, name + ", imported");
    Descriptor descriptor;
    VkSemaphoreGetFdInfoKHR get{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                .semaphore = made_,
                                .handleType = semaphore_fd};
    check(function_of<PFN_vkGetSemaphoreFdKHR>(maker, "vkGetSemaphoreFdKHR")(maker.handle(), &get,
                                                                             descriptor.out()),
          "exporting '" + name + "'");
    VkImportSemaphoreFdInfoKHR importing{.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
                                         .semaphore = imported_,
                                         .handleType = semaphore_fd,
                                         .fd = descriptor.value()};
    check(function_of<PFN_vkImportSemaphoreFdKHR>(other, "vkImportSemaphoreFdKHR")(other.handle(),
                                                                                   &importing),
          "importing '" + name + "'");
    descriptor.taken_over();
}

SharedTimeline::~SharedTimeline() {
    vkDestroySemaphore(other_.handle(), imported_, nullptr);
    vkDestroySemaphore(maker_.handle(), made_, nullptr);
}

void SharedTimeline::wait(uint64_t value) const {
    VkSemaphoreWaitInfo wait{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                             .semaphoreCount = 1,
                             .pSemaphores = &made_,
                             .pValues = &value};
    constexpr uint64_t minute = 60'000'000'000;
    const VkResult result = vkWaitSemaphores(maker_.handle(), &wait, minute);
    check(result == VK_TIMEOUT ? VK_ERROR_DEVICE_LOST : result,
          "waiting for the window to read a picture");
}

}  // namespace saccade
