#include "gpu/core/image.h"

#include <utility>

#include "gpu/core/check.h"
#include "gpu/core/device.h"
#include "gpu/core/vma.h"

namespace saccade {

VkImageCreateInfo image_info(Size size) {
    VkImageCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent = {size.x, size.y, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                 VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    return info;
}

namespace {

// Transitions a new image from the undefined to the general layout, where it stays.
void enter_general_layout(Device& device, VkImage image, const std::string& name) {
    struct Pool {
        Device& device;
        VkCommandPool handle = nullptr;
        ~Pool() { vkDestroyCommandPool(device.handle(), handle, nullptr); }
    } pool{device};
    VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool_info.queueFamilyIndex = device.queue_family();
    check(vkCreateCommandPool(device.handle(), &pool_info, nullptr, &pool.handle),
          "preparing an image");
    VkCommandBufferAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = pool.handle;
    allocate.commandBufferCount = 1;
    VkCommandBuffer commands = nullptr;
    check(vkAllocateCommandBuffers(device.handle(), &allocate, &commands), "preparing an image");
    VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    check(vkBeginCommandBuffer(commands, &begin), "preparing an image");
    VkImageMemoryBarrier2 barrier{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
    barrier.srcStageMask = VK_PIPELINE_STAGE_2_NONE;
    barrier.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkDependencyInfo dependency{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    dependency.imageMemoryBarrierCount = 1;
    dependency.pImageMemoryBarriers = &barrier;
    vkCmdPipelineBarrier2(commands, &dependency);
    check(vkEndCommandBuffer(commands), "preparing an image");
    device.wait(device.submit({&commands, 1}, name), name);
}

}  // namespace

Image::Image(Device& device, std::string name, uint32_t width, uint32_t height)
    : Image() {  // delegating: what follows may throw, and the destructor then cleans up
    device_ = &device;
    name_ = std::move(name);
    width_ = width;
    height_ = height;
    const uint32_t most = device.limits().image_side;
    const std::string size = std::to_string(width) + "x" + std::to_string(height);
    if (width == 0 || height == 0 || width > most || height > most)
        throw Error("'" + name_ + "' is " + size + " pixels; " + device.info().name +
                    " takes pictures of 1 to " + std::to_string(most) + " pixels a side");
    if (!device.executes()) return;
    const VkImageCreateInfo info = image_info({width, height});
    VmaAllocationCreateInfo allocation{};
    allocation.usage = VMA_MEMORY_USAGE_AUTO_PREFER_DEVICE;
    allocation.flags = VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT;
    const std::string doing =
        "allocating a picture of " + size + " for '" + name_ + "' on " + device.info().name;
    check(vmaCreateImage(device.allocator(), &info, &allocation, &handle_, &allocation_, nullptr),
          doing);
    make_view(doing);
    enter_general_layout(device, handle_, name_);
}

Image::Image(Device& device, std::string name, Size size, VkImage handle, VkDeviceMemory memory)
    : Image() {
    device_ = &device;
    name_ = std::move(name);
    width_ = size.x;
    height_ = size.y;
    handle_ = handle;
    memory_ = memory;
    make_view("making a view of '" + name_ + "' on " + device.info().name);
}

void Image::make_view(const std::string& doing) {
    device_->name(handle_, VK_OBJECT_TYPE_IMAGE, name_);
    VkImageViewCreateInfo view{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = handle_;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = image_info({}).format;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    check(vkCreateImageView(device_->handle(), &view, nullptr, &view_), doing);
    device_->name(view_, VK_OBJECT_TYPE_IMAGE_VIEW, name_);
}

Image::~Image() {
    if (!device_ || !device_->executes()) return;
    vkDestroyImageView(device_->handle(), view_, nullptr);
    if (memory_) {
        vkDestroyImage(device_->handle(), handle_, nullptr);
        vkFreeMemory(device_->handle(), memory_, nullptr);
    } else {
        vmaDestroyImage(device_->allocator(), handle_, allocation_);
    }
}

Image& Image::operator=(Image&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(name_, other.name_);
    std::swap(width_, other.width_);
    std::swap(height_, other.height_);
    std::swap(handle_, other.handle_);
    std::swap(view_, other.view_);
    std::swap(allocation_, other.allocation_);
    std::swap(memory_, other.memory_);
    return *this;
}

}  // namespace saccade
