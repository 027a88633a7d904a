#pragma once

#include <array>

#include "gpu/present/picture_ring.h"
#include "gpu/present/shared_image.h"

namespace saccade {

// Sends pictures without the host: images in memory that both devices see. Two timeline semaphores
// order their work: `drawn_` counts pictures that are finished, `read_` those that the window has
// released.
class SharedPictures final : public PictureRing {
public:
    SharedPictures(Device& drawing, Device& showing);
    ~SharedPictures() override;

    uint64_t host_bytes() const override { return 0; }

private:
    // A command buffer that is recorded anew for each submission.
    class OneTime {
    public:
        OneTime(Device& device, const char* name);
        ~OneTime();
        OneTime(const OneTime&) = delete;
        OneTime& operator=(const OneTime&) = delete;

        // Waits until the last submission has finished.
        VkCommandBuffer begin();
        Ticket submit(SemaphorePoint wait, SemaphorePoint signal = {});

    private:
        Device& device_;
        const char* name_;
        VkCommandPool pool_ = nullptr;
        VkCommandBuffer commands_ = nullptr;
        Ticket ticket_;
    };
    struct Place {
        Place(Device& drawing, Device& showing)
            : copy(drawing, "picture for a window"), acquire(showing, "picture of the models") {}
        SharedImage image;
        OneTime copy, acquire;
        uint64_t drawn = 0, read = 0;  // values of the semaphores
    };

    Ticket fill(size_t slot, Size size, std::span<const Part> parts) override;
    Shown open(size_t slot) override;
    void close(size_t slot) override;

    Device &drawing_, &showing_;
    SharedTimeline drawn_, read_;
    uint64_t drawn_value_ = 0, read_value_ = 0;  // that were submitted, each by its own thread
    std::array<std::unique_ptr<Place>, pictures> places_;
};

}  // namespace saccade
