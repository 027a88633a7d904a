#include "gpu/lent/lent_images.h"

#include <vulkan/vulkan.h>

#include "gpu/core/check.h"
#include "gpu/recorder/transition.h"

namespace saccade {

LentImages::LentImages(Device& device) : device_(device) {
    VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = device.queue_family();
    check(vkCreateCommandPool(device.handle(), &pool, nullptr, &pool_), "preparing copies");
    VkCommandBufferAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = pool_;
    allocate.commandBufferCount = 2;
    VkCommandBuffer both[2] = {};
    const VkResult result = vkAllocateCommandBuffers(device.handle(), &allocate, both);
    if (result != VK_SUCCESS) vkDestroyCommandPool(device.handle(), pool_, nullptr);
    check(result, "preparing copies");
    take_ = both[0];
    give_ = both[1];
}

LentImages::~LentImages() { vkDestroyCommandPool(device_.handle(), pool_, nullptr); }

void LentImages::record(VkCommandBuffer commands, VkImage from, VkImage to, Size size,
                        const LentImage& lent) {
    VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    check(vkBeginCommandBuffer(commands, &begin), "recording a copy");
    const auto layout = static_cast<VkImageLayout>(lent.layout);
    const bool given = lent.handle == to;  // what it held is overwritten
    const auto before = [&](VkImage image) {
        if (image != lent.handle) return VK_IMAGE_LAYOUT_GENERAL;
        return given ? VK_IMAGE_LAYOUT_UNDEFINED : layout;
    };
    const auto after = [&](VkImage image) {
        return image == lent.handle ? layout : VK_IMAGE_LAYOUT_GENERAL;
    };
    const VkImageMemoryBarrier2 first[] = {
        transition(from, before(from), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
        transition(to, before(to), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL)};
    saccade::record(commands, first);
    const VkImageSubresourceLayers pixels{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageCopy region{
        .srcSubresource = pixels, .dstSubresource = pixels, .extent = {size.x, size.y, 1}};
    vkCmdCopyImage(commands, from, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    const VkImageMemoryBarrier2 last[] = {
        transition(from, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, after(from)),
        transition(to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, after(to))};
    saccade::record(commands, last);
    check(vkEndCommandBuffer(commands), "recording a copy");
}

void LentImages::take(const LentImage& from, const Image& to,
                      std::span<const SemaphorePoint> points) {
    record(take_, from.handle, to.handle(), {to.width(), to.height()}, from);
    for (const SemaphorePoint& point : points) device_.submit({}, "a wait", point);
    device_.submit({&take_, 1}, "a copy of a picture");
}

Ticket LentImages::give(const Image& from, const LentImage* to,
                        std::span<const SemaphorePoint> points) {
    Ticket ticket;
    if (to) {
        record(give_, from.handle(), to->handle, {from.width(), from.height()}, *to);
        ticket = device_.submit({&give_, 1}, "a copy of what was drawn");
    } else {
        ticket = device_.submit({}, "the end of a run");
    }
    for (const SemaphorePoint& point : points) ticket = device_.submit({}, "a signal", {}, point);
    return ticket;
}

}  // namespace saccade
