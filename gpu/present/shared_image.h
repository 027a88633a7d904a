#pragma once

#include <string>

#include "gpu/core/device.h"
#include "gpu/core/geometry.h"
#include "gpu/core/image.h"

namespace saccade {

// Whether two devices are one GPU behind one driver, which can hand images and timeline semaphores
// from the one to the other as file descriptors. Software Vulkan has no such semaphores.
bool can_share_images(const Device& one, const Device& other);

// One image as two devices see it. `drawn` exports the memory that `shown` imports. Neither has a
// layout yet, and contents go from one to the other by a transfer of ownership to and from
// VK_QUEUE_FAMILY_EXTERNAL.
struct SharedImage {
    SharedImage() = default;
    SharedImage(Device& drawing, Device& showing, const std::string& name, Size size);

    Size size() const { return {drawn.width(), drawn.height()}; }

    Image drawn, shown;
};

// One timeline semaphore as two devices see it.
class SharedTimeline {
public:
    SharedTimeline(Device& maker, Device& other, const std::string& name);
    ~SharedTimeline();
    SharedTimeline(const SharedTimeline&) = delete;
    SharedTimeline& operator=(const SharedTimeline&) = delete;

    SemaphorePoint of_maker(uint64_t value) const { return {made_, value}; }
    SemaphorePoint of_other(uint64_t value) const { return {imported_, value}; }
    // Waits on the host.
    void wait(uint64_t value) const;

private:
    SharedTimeline(Device& maker, Device& other) : maker_(maker), other_(other) {}

    Device &maker_, &other_;
    VkSemaphore made_ = nullptr, imported_ = nullptr;
};

}  // namespace saccade
