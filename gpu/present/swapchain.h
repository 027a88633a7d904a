#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/core/geometry.h"
#include "gpu/core/image.h"

namespace saccade {

// When a finished picture goes on screen: fifo, one at each refresh, in order; mailbox, the newest
// at each refresh; immediate, at once, even in the middle of a refresh. Every device has fifo.
enum class PresentMode { fifo, mailbox, immediate };
std::string_view name_of(PresentMode mode);

// A window's surface and its swapchain. Pictures are copied there whole, so that only this class
// deals with formats, layouts and acquired images.
class Swapchain {
public:
    // The device extension it needs.
    static constexpr const char* extension = "VK_KHR_swapchain";

    // Takes the surface over. Throws where the device cannot present to it.
    Swapchain(Device& device, VkSurfaceKHR surface, PresentMode mode);
    ~Swapchain();
    Swapchain(const Swapchain&) = delete;
    Swapchain& operator=(const Swapchain&) = delete;

    // The window's size in pixels. A change takes effect at the next present(). A minimised window
    // has no size, and shows nothing.
    void resize(Size window);
    void set_mode(PresentMode mode);
    // The mode in use: fifo, if the device does not have the one that was set.
    PresentMode mode() const { return mode_; }
    std::vector<PresentMode> modes() const;

    // The size of the next picture that will be shown; none while the window is minimised.
    std::optional<Size> size();

    // Shows a picture; one of another size is stretched. It must not be written to until the ticket
    // is reached; later submissions to the device wait for that by themselves. Returns nothing
    // where the picture could not be shown: minimised, or resized just now.
    std::optional<Ticket> present(const Image& picture);

private:
    Swapchain(Device& device, VkSurfaceKHR surface) : device_(device), surface_(surface) {}

    // One picture on its way to the screen.
    struct Turn {
        VkCommandBuffer commands = nullptr;
        VkSemaphore acquired = nullptr;
        Ticket ticket;  // the turn can be used again
    };

    void choose_format();
    void create();
    void destroy_images();
    void record(VkCommandBuffer commands, const Image& picture, VkImage target) const;

    Device& device_;
    VkSurfaceKHR surface_;
    VkSwapchainKHR swapchain_ = nullptr;
    VkCommandPool pool_ = nullptr;
    int format_ = 0, colour_space_ = 0;  // VkFormat, VkColorSpaceKHR
    PresentMode wanted_ = PresentMode::fifo, mode_ = PresentMode::fifo;
    Size window_, size_;
    bool stale_ = true;
    std::vector<VkImage> images_;
    std::vector<VkSemaphore> shown_;  // for each image: it may go on screen
    std::vector<Turn> turns_;
    size_t turn_ = 0;
};

}  // namespace saccade
