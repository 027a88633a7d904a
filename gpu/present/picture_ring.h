#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "gpu/core/device.h"
#include "gpu/core/geometry.h"
#include "gpu/core/image.h"
#include "gpu/transfer/frame.h"

namespace saccade {

class PictureRing;

// A picture on its way to a window. The destructor frees its place in the ring, unless the picture
// was published.
class SentPicture {
public:
    SentPicture() = default;
    ~SentPicture() { reset(); }
    SentPicture(SentPicture&& other) noexcept { *this = std::move(other); }
    SentPicture& operator=(SentPicture&& other) noexcept;

    // Reached once the drawing device has finished the picture.
    Ticket ticket() const { return ticket_; }
    // Offers it to the window in place of all pictures before. The ticket must have been reached.
    void publish() const;
    void reset() noexcept;

private:
    friend class PictureRing;
    SentPicture(PictureRing& ring, size_t slot, uint64_t number)
        : ring_(&ring), slot_(slot), number_(number) {}

    PictureRing* ring_ = nullptr;
    size_t slot_ = 0;
    uint64_t number_ = 0;  // counts all that were sent
    Ticket ticket_;
};

// Takes pictures from the device that draws them to the device that shows them. The two are usually
// one GPU that was opened twice, so that a window does not wait for models. One thread draws and
// another one shows; neither waits for the other, and the newest picture wins.
class PictureRing {
public:
    // Two frames may be drawn while a third waits to be shown and a fourth is on the screen.
    static constexpr size_t pictures = 4;

    // Shares images between the two devices where the driver can, and else goes through the host's
    // memory. Both devices must outlive it, and nothing may be sent or taken while it ends.
    static std::unique_ptr<PictureRing> between(Device& drawing, Device& showing);
    virtual ~PictureRing() = default;
    PictureRing(const PictureRing&) = delete;
    PictureRing& operator=(const PictureRing&) = delete;

    // ---- on the thread that draws

    struct Part {
        const Image* image;
        Size corner;  // in the picture
    };
    // Sends a picture made of these parts, black between them, as the submissions so far have drawn
    // them. Later submissions may write to the parts again.
    [[nodiscard]] SentPicture send(Size size, std::span<const Part> parts);

    // ---- on the thread that shows

    // Takes the newest picture that was published and lets go of the one before, which no later
    // submission to the showing device may read. False where there is no newer one.
    bool take();
    // The picture that was taken last, as an image or in the host's memory; neither before the
    // first.
    struct Shown {
        const Image* image = nullptr;  // on the showing device
        std::optional<PictureView> host = std::nullopt;
    };
    Shown shown() const;

    // Bytes of pictures that went through the host's memory.
    virtual uint64_t host_bytes() const = 0;

protected:
    PictureRing() = default;

    // Fills a slot that neither device uses any more.
    virtual Ticket fill(size_t slot, Size size, std::span<const Part> parts) = 0;
    // Makes a filled slot ready to be read by later submissions to the showing device.
    virtual Shown open(size_t slot) = 0;
    // Called after the last submission that reads it.
    virtual void close(size_t slot) = 0;

private:
    friend class SentPicture;
    struct Slot {
        enum class State { free, sent, published, shown } state = State::free;
        uint64_t number = 0;
    };
    SentPicture take_free();
    void publish(const SentPicture& picture);
    void release(const SentPicture& picture) noexcept;

    mutable std::mutex mutex_;
    std::array<Slot, pictures> slots_;
    uint64_t sent_ = 0;
    // Of the thread that shows.
    std::optional<size_t> taken_;
    Shown shown_;
};

}  // namespace saccade
