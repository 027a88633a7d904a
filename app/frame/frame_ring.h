#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/frame/source.h"

namespace saccade {

// Memory for ring slot number `slot`, for a frame of this layout; asked on the reading thread,
// before every frame, while nobody uses the slot. The same memory may be given as long as the
// layout stays.
using MakeSlot = std::function<Slot(size_t slot, const PixelLayout& layout)>;

class FrameRing;

// A frame that the consumer has taken. Its slot is not written to before this is gone, so it must
// live until the device has read the pixels. It may outlive the source, but not the ring.
class TakenFrame {
public:
    TakenFrame(FrameRing& ring, size_t slot, FrameInfo info)
        : info_(std::move(info)), ring_(&ring), slot_(slot) {}
    TakenFrame(TakenFrame&& other) noexcept { *this = std::move(other); }
    TakenFrame& operator=(TakenFrame&& other) noexcept;
    ~TakenFrame() { release(); }

    const FrameInfo& info() const { return info_; }
    size_t slot() const { return slot_; }
    bool held() const { return ring_ != nullptr; }  // false when it has been moved or released
    void release();

private:
    FrameInfo info_;
    FrameRing* ring_ = nullptr;
    size_t slot_ = 0;
};

// Who must not wait for the other: the filler, who then takes back what nobody took; or nobody, and
// then the filler waits, no frame is lost, and slots are filled in turn. For the newest to win, the
// ring needs two slots more than are taken at a time: one that waits, and one that is filled
// meanwhile. With one, the filler takes back what waits as soon as it begins the next.
enum class RingPolicy { newest_wins, every_frame };

// A few slots that go round between the thread that fills them and the one that uses them. It
// belongs to the consumer, whose memory the slots are; sources come and go and borrow it. So a
// frame that was taken can always be given back, whether or not its source is still there.
class FrameRing {
public:
    FrameRing(size_t slots, MakeSlot make) : make_(std::move(make)), uses_(slots, Use::free) {}
    FrameRing(const FrameRing&) = delete;
    FrameRing& operator=(const FrameRing&) = delete;

    // A source begins, and none other fills the ring. What the last one left and nobody took is
    // forgotten; frames that were taken stay taken.
    void open(RingPolicy policy);

    // The filler: a slot to write into, unless it is to stop before there is one.
    std::optional<size_t> begin(std::stop_token stop);
    Slot memory(size_t slot, const PixelLayout& layout) const { return make_(slot, layout); }
    void publish(size_t slot, FrameInfo info);
    void abandon(size_t slot);
    // What is ready and nobody has taken is not wanted any more; it does not count as dropped.
    void forget();
    // There will be no more frames, because of `error` where there is one.
    void close(std::exception_ptr error = nullptr);

    // The consumer: the next frame. take() has nothing where there is none yet, or none any more;
    // wait() has nothing only after the last one. Both throw the error that ended it, then.
    std::optional<TakenFrame> take();
    std::optional<TakenFrame> wait();
    // Until a frame is there or the time is over. Whether one is.
    bool wait_for(std::chrono::milliseconds time);

    uint64_t published() const;
    uint64_t dropped() const;  // published, and never taken

private:
    friend class TakenFrame;
    enum class Use { free, filling, ready, taken };
    struct Ready {
        size_t slot;
        FrameInfo info;
    };

    std::optional<size_t> free_slot() const;
    std::optional<TakenFrame> take_first();

    const MakeSlot make_;
    RingPolicy policy_ = RingPolicy::every_frame;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::vector<Use> uses_;
    size_t turn_ = 0;  // the slot to be filled next, where they are filled in turn
    std::deque<Ready> ready_;
    bool closed_ = false;
    std::exception_ptr error_;
    uint64_t published_ = 0, dropped_ = 0;
};

}  // namespace saccade
