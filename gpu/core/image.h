#pragma once

#include <cstdint>
#include <string>

#include "gpu/core/geometry.h"
#include "gpu/core/handles.h"

struct VkImageCreateInfo;

namespace saccade {

class Device;

// All images are made by this: 8-bit RGBA pixels that kernels and copies read and write.
VkImageCreateInfo image_info(Size size);

// An image of 8-bit RGBA pixels on the device. It is always in VK_IMAGE_LAYOUT_GENERAL, which
// compute shaders, copies and blits all accept.
class Image {
public:
    Image() = default;
    Image(Device& device, std::string name, uint32_t width, uint32_t height);
    // Takes over an image that was made by image_info(), with the memory that is bound to it. The
    // caller brings it into the general layout.
    Image(Device& device, std::string name, Size size, VkImage handle, VkDeviceMemory memory);
    ~Image();
    Image(Image&& other) noexcept { *this = std::move(other); }
    Image& operator=(Image&& other) noexcept;

    explicit operator bool() const { return handle_ != nullptr; }
    VkImage handle() const { return handle_; }
    VkImageView view() const { return view_; }
    uint32_t width() const { return width_; }
    uint32_t height() const { return height_; }
    const std::string& name() const { return name_; }

private:
    void make_view(const std::string& doing);

    Device* device_ = nullptr;
    std::string name_;
    uint32_t width_ = 0, height_ = 0;
    VkImage handle_ = nullptr;
    VkImageView view_ = nullptr;
    VmaAllocation allocation_ = nullptr;
    VkDeviceMemory memory_ = nullptr;  // of an image that was taken over
};

}  // namespace saccade
