#include "gpu/present/shared_pictures.h"

#include <span>
#include <vector>

#include "gpu/core/check.h"
#include "gpu/recorder/transition.h"

namespace saccade {

namespace {

// One half of a transfer of ownership between the two devices: the drawing one releases the
// picture, the showing one acquires it. Both halves name the same pair of layouts.
VkImageMemoryBarrier2 handover(const Image& picture, uint32_t from, uint32_t to) {
    VkImageMemoryBarrier2 barrier =
        transition(picture.handle(), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    barrier.srcQueueFamilyIndex = from;
    barrier.dstQueueFamilyIndex = to;
    return barrier;
}

Size size_of(const Image& image) { return {image.width(), image.height()}; }

void clear(VkCommandBuffer commands, const Image& picture) {
    const VkImageMemoryBarrier2 cleared =
        transition(picture.handle(), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    const VkClearColorValue black{.float32 = {0, 0, 0, 1}};
    vkCmdClearColorImage(commands, picture.handle(), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &black,
                         1, &cleared.subresourceRange);
    record(commands, {&cleared, 1});
}

void copy(VkCommandBuffer commands, const PictureRing::Part& part, const Image& to) {
    VkImageCopy region{};
    region.srcSubresource = region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.dstOffset = {int32_t(part.corner.x), int32_t(part.corner.y), 0};
    region.extent = {part.image->width(), part.image->height(), 1};
    vkCmdCopyImage(commands, part.image->handle(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                   to.handle(), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
}

}  // namespace

SharedPictures::OneTime::OneTime(Device& device, const char* name) : device_(device), name_(name) {
    VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.queueFamilyIndex = device.queue_family();
    check(vkCreateCommandPool(device.handle(), &pool, nullptr, &pool_), name);
    device.name(pool_, VK_OBJECT_TYPE_COMMAND_POOL, name);
    VkCommandBufferAllocateInfo buffer{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    buffer.commandPool = pool_;
    buffer.commandBufferCount = 1;
    const VkResult result = vkAllocateCommandBuffers(device.handle(), &buffer, &commands_);
    if (result != VK_SUCCESS) vkDestroyCommandPool(device.handle(), pool_, nullptr);
    check(result, name);
    device.name(commands_, VK_OBJECT_TYPE_COMMAND_BUFFER, name);
}

SharedPictures::OneTime::~OneTime() { vkDestroyCommandPool(device_.handle(), pool_, nullptr); }

VkCommandBuffer SharedPictures::OneTime::begin() {
    device_.wait(ticket_, name_);
    check(vkResetCommandPool(device_.handle(), pool_, 0), name_);
    VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    check(vkBeginCommandBuffer(commands_, &info), name_);
    return commands_;
}

Ticket SharedPictures::OneTime::submit(SemaphorePoint wait, SemaphorePoint signal) {
    check(vkEndCommandBuffer(commands_), name_);
    return ticket_ = device_.submit({&commands_, 1}, name_, wait, signal);
}

SharedPictures::SharedPictures(Device& drawing, Device& showing)
    : drawing_(drawing),
      showing_(showing),
      drawn_(drawing, showing, "pictures drawn"),
      read_(drawing, showing, "pictures read") {
    for (std::unique_ptr<Place>& place : places_) place = std::make_unique<Place>(drawing, showing);
}

SharedPictures::~SharedPictures() {
    showing_.come_to_rest();
    drawing_.come_to_rest();
}

Ticket SharedPictures::fill(size_t slot, Size size, std::span<const Part> parts) {
    Place& place = *places_[slot];
    VkCommandBuffer commands = place.copy.begin();
    if (!place.image.drawn || place.image.size() != size) {
        read_.wait(place.read);
        place.image = {};
        place.image = SharedImage(drawing_, showing_, "picture for a window", size);
    }
    const Image& picture = place.image.drawn;
    // The old contents are not needed, so the picture's ownership need not be acquired.
    std::vector<VkImageMemoryBarrier2> before = {transition(
        picture.handle(), VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL)};
    std::vector<VkImageMemoryBarrier2> after = {
        handover(picture, drawing_.queue_family(), VK_QUEUE_FAMILY_EXTERNAL)};
    for (const Part& part : parts) {
        const VkImage image = part.image->handle();
        before.push_back(
            transition(image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL));
        after.push_back(
            transition(image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL));
    }
    record(commands, before);
    if (parts.size() != 1 || size_of(*parts.front().image) != size) clear(commands, picture);
    for (const Part& part : parts) copy(commands, part, picture);
    record(commands, after);
    place.drawn = ++drawn_value_;
    return place.copy.submit(place.read > 0 ? read_.of_maker(place.read) : SemaphorePoint(),
                             drawn_.of_maker(place.drawn));
}

PictureRing::Shown SharedPictures::open(size_t slot) {
    Place& place = *places_[slot];
    VkCommandBuffer commands = place.acquire.begin();
    const VkImageMemoryBarrier2 acquired =
        handover(place.image.shown, VK_QUEUE_FAMILY_EXTERNAL, showing_.queue_family());
    record(commands, {&acquired, 1});
    place.acquire.submit(drawn_.of_other(place.drawn));
    return {.image = &place.image.shown};
}

void SharedPictures::close(size_t slot) {
    // A signal without commands comes after all that was submitted before.
    showing_.submit({}, "the end of a picture", {}, read_.of_other(++read_value_));
    places_[slot]->read = read_value_;
}

}  // namespace saccade
