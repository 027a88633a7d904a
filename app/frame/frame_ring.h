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

// Returns memory for a slot of the ring and a frame of this layout. Called on the reading thread
// before every frame, while the slot is free; may return the same memory while the layout stays.
using MakeSlot = std::function<Slot(size_t slot, const PixelLayout& layout)>;

class FrameRing;

// A frame that the consumer has taken. Its slot is not overwritten while this object lives, so it
// must live until the device has read the pixels. It may outlive the source, but not the ring.
class TakenFrame {
public:
    TakenFrame(FrameRing& ring, size_t slot, FrameInfo info)
        : info_(std::move(info)), ring_(&ring), slot_(slot) {}
    TakenFrame(TakenFrame&& other) noexcept { *this = std::move(other); }
    TakenFrame& operator=(TakenFrame&& other) noexcept;
    ~TakenFrame() { release(); }

    const FrameInfo& info() const { return info_; }
    size_t slot() const { return slot_; }
    bool held() const { return ring_ != nullptr; }  // false once moved or released
    void release();

private:
    FrameInfo info_;
    FrameRing* ring_ = nullptr;
    size_t slot_ = 0;
};

// What the producer does when the ring is full. newest_wins: it drops the oldest frame that is
// ready and never waits. The ring then needs two slots more than are taken at a time, one that is
// ready and one that is being filled; with only one more, a ready frame is dropped as soon as the
// next begins. every_frame: it waits, no frame is lost, and slots are filled round-robin.
enum class RingPolicy { newest_wins, every_frame };

// A ring buffer of frames between the producer's thread and the consumer's. The consumer owns it
// and its memory, and sources borrow it: a taken frame can be released after its source is gone.
class FrameRing {
public:
    FrameRing(size_t slots, MakeSlot make) : make_(std::move(make)), uses_(slots, Use::free) {}
    FrameRing(const FrameRing&) = delete;
    FrameRing& operator=(const FrameRing&) = delete;

    // A new source begins to fill the ring. Ready frames of the last source are dropped; taken
    // frames stay taken.
    void open(RingPolicy policy);

    // For the producer: a slot to write into; nothing if a stop is requested before one is free.
    std::optional<size_t> begin(std::stop_token stop);
    Slot memory(size_t slot, const PixelLayout& layout) const { return make_(slot, layout); }
    void publish(size_t slot, FrameInfo info);
    void abandon(size_t slot);
    // Discards ready frames without counting them as dropped.
    void forget();
    // Ends the stream of frames, with an error if there was one.
    void close(std::exception_ptr error = nullptr);

    // For the consumer: the next frame. take() returns nothing if none is ready; wait() returns
    // nothing only after the last frame. After the last frame, both throw the error that ended the
    // stream, if any.
    std::optional<TakenFrame> take();
    std::optional<TakenFrame> wait();
    // Waits until a frame is ready or the time is over; returns whether one is ready.
    bool wait_for(std::chrono::milliseconds time);

    uint64_t published() const;
    uint64_t dropped() const;  // published, but never taken

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
    size_t turn_ = 0;  // the next slot to fill, with every_frame
    std::deque<Ready> ready_;
    bool closed_ = false;
    std::exception_ptr error_;
    uint64_t published_ = 0, dropped_ = 0;
};

}  // namespace saccade
