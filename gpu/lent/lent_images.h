#pragma once

#include <span>

#include "gpu/core/device.h"
#include "gpu/core/image.h"

namespace saccade {

// An image of the program that has lent its device, of four bytes a pixel. It is in this layout
// (a VkImageLayout) before and after it is used.
struct LentImage {
    VkImage handle = nullptr;
    int layout = 0;
};

// Copies between images of the program and ours, byte by byte, each copy in a submission of its
// own. Nothing that an object of this class submitted before may still be running when it submits
// again.
class LentImages {
public:
    explicit LentImages(Device& device);
    ~LentImages();
    LentImages(const LentImages&) = delete;
    LentImages& operator=(const LentImages&) = delete;

    // The device waits for the points, then copies the whole image.
    void take(const LentImage& from, const Image& to, std::span<const SemaphorePoint> points);
    // Copies over all that the program's image held, if there is one, then signals the points.
    Ticket give(const Image& from, const LentImage* to, std::span<const SemaphorePoint> points);

private:
    void record(VkCommandBuffer commands, VkImage from, VkImage to, Size size,
                const LentImage& lent);

    Device& device_;
    VkCommandPool pool_ = nullptr;
    VkCommandBuffer take_ = nullptr, give_ = nullptr;
};

}  // namespace saccade
