#include "gpu/present/swapchain.h"

#include <algorithm>
#include <utility>

#include "gpu/core/check.h"
#include "gpu/recorder/transition.h"

namespace saccade {

namespace {

constexpr size_t pictures_in_flight = 2;
// A compositor that keeps all images (a hidden window on some systems) must not stop the program.
constexpr uint64_t patience_ns = 100'000'000;

VkPresentModeKHR vulkan_mode(PresentMode mode) {
    switch (mode) {
        case PresentMode::mailbox:
            return VK_PRESENT_MODE_MAILBOX_KHR;
        case PresentMode::immediate:
            return VK_PRESENT_MODE_IMMEDIATE_KHR;
        case PresentMode::fifo:
            break;
    }
    return VK_PRESENT_MODE_FIFO_KHR;
}

// Blits convert between any two formats of this kind; an sRGB format would change the colours.
bool plain_colours(VkFormat format) {
    return format == VK_FORMAT_B8G8R8A8_UNORM || format == VK_FORMAT_R8G8B8A8_UNORM ||
           format == VK_FORMAT_A8B8G8R8_UNORM_PACK32 ||
           format == VK_FORMAT_A2B10G10R10_UNORM_PACK32 ||
           format == VK_FORMAT_A2R10G10B10_UNORM_PACK32 || format == VK_FORMAT_R5G6B5_UNORM_PACK16;
}

VkSemaphore make_semaphore(Device& device, const std::string& name) {
    VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore semaphore = nullptr;
    check(vkCreateSemaphore(device.handle(), &info, nullptr, &semaphore), "creating a semaphore");
    device.name(semaphore, VK_OBJECT_TYPE_SEMAPHORE, name);
    return semaphore;
}

}  // namespace

std::string_view name_of(PresentMode mode) {
    switch (mode) {
        case PresentMode::mailbox:
            return "mailbox";
        case PresentMode::immediate:
            return "immediate";
        case PresentMode::fifo:
            break;
    }
    return "fifo";
}

Swapchain::Swapchain(Device& device, VkSurfaceKHR surface, PresentMode mode)
    : Swapchain(device, surface) {  // delegating: where what follows throws, the destructor runs
    wanted_ = mode;
    VkBool32 presents = VK_FALSE;
    check(vkGetPhysicalDeviceSurfaceSupportKHR(device.info().handle, device.queue_family(), surface,
                                               &presents),
          "asking " + device.info().name + " about the window");
    if (!presents)
        throw Error(device.info().name +
                    " cannot show pictures in this window: choose another with --device");
    choose_format();
    VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = device.queue_family();
    check(vkCreateCommandPool(device.handle(), &pool, nullptr, &pool_), "preparing a window");
    device.name(pool_, VK_OBJECT_TYPE_COMMAND_POOL, "swapchain");
    for (size_t i = 0; i < pictures_in_flight; ++i) {
        Turn& turn = turns_.emplace_back();
        VkCommandBufferAllocateInfo buffer{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        buffer.commandPool = pool_;
        buffer.commandBufferCount = 1;
        check(vkAllocateCommandBuffers(device.handle(), &buffer, &turn.commands),
              "preparing a window");
        device.name(turn.commands, VK_OBJECT_TYPE_COMMAND_BUFFER, "present");
        turn.acquired = make_semaphore(device, "swapchain image acquired");
    }
}

Swapchain::~Swapchain() {
    device_.come_to_rest();
    destroy_images();
    for (const Turn& turn : turns_) vkDestroySemaphore(device_.handle(), turn.acquired, nullptr);
    vkDestroyCommandPool(device_.handle(), pool_, nullptr);
    vkDestroySwapchainKHR(device_.handle(), swapchain_, nullptr);
    vkDestroySurfaceKHR(device_.instance().handle(), surface_, nullptr);
}

void Swapchain::choose_format() {
    uint32_t count = 0;
    check(vkGetPhysicalDeviceSurfaceFormatsKHR(device_.info().handle, surface_, &count, nullptr),
          "asking for the window's formats");
    std::vector<VkSurfaceFormatKHR> formats(count);
    check(vkGetPhysicalDeviceSurfaceFormatsKHR(device_.info().handle, surface_, &count,
                                               formats.data()),
          "asking for the window's formats");
    const auto found = std::ranges::find_if(formats, [&](const VkSurfaceFormatKHR& f) {
        VkFormatProperties properties;
        vkGetPhysicalDeviceFormatProperties(device_.info().handle, f.format, &properties);
        return plain_colours(f.format) && f.colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR &&
               (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_DST_BIT);
    });
    if (found == formats.end())
        throw Error(device_.info().name +
                    " offers no format that pictures can be copied to in "
                    "this window: choose another with --device");
    format_ = found->format;
    colour_space_ = found->colorSpace;
}

std::vector<PresentMode> Swapchain::modes() const {
    uint32_t count = 0;
    vkGetPhysicalDeviceSurfacePresentModesKHR(device_.info().handle, surface_, &count, nullptr);
    std::vector<VkPresentModeKHR> offered(count);
    vkGetPhysicalDeviceSurfacePresentModesKHR(device_.info().handle, surface_, &count,
                                              offered.data());
    std::vector<PresentMode> result{PresentMode::fifo};
    for (PresentMode mode : {PresentMode::mailbox, PresentMode::immediate})
        if (std::ranges::find(offered, vulkan_mode(mode)) != offered.end()) result.push_back(mode);
    return result;
}

void Swapchain::resize(Size window) {
    if (window_ == window) return;
    window_ = window;
    stale_ = true;
}

void Swapchain::set_mode(PresentMode mode) {
    if (wanted_ == mode) return;
    wanted_ = mode;
    stale_ = true;
}

std::optional<Size> Swapchain::size() {
    if (area(window_) == 0) return {};
    if (stale_) create();
    if (area(size_) == 0) return {};
    return size_;
}

void Swapchain::destroy_images() {
    for (VkSemaphore semaphore : shown_) vkDestroySemaphore(device_.handle(), semaphore, nullptr);
    shown_.clear();
    images_.clear();
}

void Swapchain::create() {
    VkSurfaceCapabilitiesKHR surface;
    check(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(device_.info().handle, surface_, &surface),
          "asking for the window's size");
    // Some window systems fix the size, others leave it to the swapchain.
    const bool free = surface.currentExtent.width == UINT32_MAX;
    auto within = [](uint32_t wish, uint32_t least, uint32_t most) {
        return std::clamp(wish, least, std::max(least, most));
    };
    size_ =
        free ? Size{within(window_.x, surface.minImageExtent.width, surface.maxImageExtent.width),
                    within(window_.y, surface.minImageExtent.height, surface.maxImageExtent.height)}
             : Size{surface.currentExtent.width, surface.currentExtent.height};
    if (area(size_) == 0) return;  // minimised: ask again later

    const std::vector<PresentMode> offered = modes();
    mode_ = std::ranges::find(offered, wanted_) != offered.end() ? wanted_ : PresentMode::fifo;
    VkSwapchainCreateInfoKHR info{.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
    info.surface = surface_;
    // One on screen, one waiting, one to copy to; more would only add latency.
    info.minImageCount = std::max(3u, surface.minImageCount);
    if (surface.maxImageCount > 0)
        info.minImageCount = std::min(info.minImageCount, surface.maxImageCount);
    info.imageFormat = static_cast<VkFormat>(format_);
    info.imageColorSpace = static_cast<VkColorSpaceKHR>(colour_space_);
    info.imageExtent = {size_.x, size_.y};
    info.imageArrayLayers = 1;
    info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    info.imageSharingMode = VK_SHARING_MODE_EXCLUSIVE;
    info.preTransform = surface.currentTransform;
    info.compositeAlpha = surface.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                              ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                              : VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
    info.presentMode = vulkan_mode(mode_);
    info.clipped = VK_TRUE;
    info.oldSwapchain = swapchain_;
    device_.wait_idle();  // Vulkan does not report when an image has left the screen
    destroy_images();
    VkSwapchainKHR made = nullptr;
    const VkResult result = vkCreateSwapchainKHR(device_.handle(), &info, nullptr, &made);
    vkDestroySwapchainKHR(device_.handle(), std::exchange(swapchain_, made), nullptr);
    check(result,
          "making a swapchain of " + std::to_string(size_.x) + "x" + std::to_string(size_.y));
    device_.name(swapchain_, VK_OBJECT_TYPE_SWAPCHAIN_KHR, "swapchain");

    uint32_t count = 0;
    check(vkGetSwapchainImagesKHR(device_.handle(), swapchain_, &count, nullptr),
          "asking for the swapchain's images");
    images_.resize(count);
    check(vkGetSwapchainImagesKHR(device_.handle(), swapchain_, &count, images_.data()),
          "asking for the swapchain's images");
    for (uint32_t i = 0; i < count; ++i) {
        const std::string name = "swapchain image " + std::to_string(i);
        device_.name(images_[i], VK_OBJECT_TYPE_IMAGE, name);
        shown_.push_back(make_semaphore(device_, name + " may be shown"));
    }
    stale_ = false;
}

void Swapchain::record(VkCommandBuffer commands, const Image& picture, VkImage target) const {
    VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    check(vkBeginCommandBuffer(commands, &begin), "recording 'present'");
    // Copies from the general layout are slow on some devices.
    const VkImageMemoryBarrier2 before[] = {
        transition(picture.handle(), VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
        transition(target, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL)};
    saccade::record(commands, before);
    VkImageBlit region{};
    region.srcSubresource = region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.srcOffsets[1] = {int32_t(picture.width()), int32_t(picture.height()), 1};
    region.dstOffsets[1] = {int32_t(size_.x), int32_t(size_.y), 1};
    vkCmdBlitImage(commands, picture.handle(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, target,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region, VK_FILTER_NEAREST);
    const VkImageMemoryBarrier2 after[] = {
        transition(picture.handle(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL),
        transition(target, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR)};
    saccade::record(commands, after);
    check(vkEndCommandBuffer(commands), "recording 'present'");
}

std::optional<Ticket> Swapchain::present(const Image& picture) {
    if (!size()) return {};
    Turn& turn = turns_[turn_];
    device_.wait(turn.ticket, "present");
    uint32_t index = 0;
    const VkResult acquired = vkAcquireNextImageKHR(device_.handle(), swapchain_, patience_ns,
                                                    turn.acquired, nullptr, &index);
    if (acquired == VK_TIMEOUT || acquired == VK_NOT_READY) return {};
    if (acquired == VK_ERROR_OUT_OF_DATE_KHR) {
        stale_ = true;
        return {};
    }
    // A suboptimal image has been acquired all the same, and its semaphore will be signalled: show
    // it.
    if (acquired != VK_SUBOPTIMAL_KHR) check(acquired, "asking for the next swapchain image");
    record(turn.commands, picture, images_[index]);
    turn.ticket = device_.submit({&turn.commands, 1}, "present", {turn.acquired}, {shown_[index]});
    turn_ = (turn_ + 1) % turns_.size();

    VkPresentInfoKHR info{.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
    info.waitSemaphoreCount = 1;
    info.pWaitSemaphores = &shown_[index];
    info.swapchainCount = 1;
    info.pSwapchains = &swapchain_;
    info.pImageIndices = &index;
    VkResult presented;
    {
        const auto lock = device_.lock_queue();
        presented = vkQueuePresentKHR(device_.queue(), &info);
    }
    if (presented == VK_SUBOPTIMAL_KHR || presented == VK_ERROR_OUT_OF_DATE_KHR ||
        acquired == VK_SUBOPTIMAL_KHR)
        stale_ = true;
    else
        check(presented, "showing a picture");
    return turn.ticket;
}

}  // namespace saccade
