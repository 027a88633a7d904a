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

#include "app/sources/source.h"

namespace saccade {

// Memory for ring slot number `slot`, for a frame of `size`; asked on the reading thread, before
// every frame, while nobody uses the slot. The same memory may be given as long as the size stays.
using MakeSlot = std::function<Slot(size_t slot, ImageSize size)>;

class FrameRing;

// A frame that the consumer has taken. Its slot is not written to before this is gone, so it must
// live until the device has read the pixels.
class TakenFrame {
public:
    TakenFrame(FrameRing& ring, size_t slot, FrameInfo info)
        : info_(std::move(info)), ring_(&ring), slot_(slot) {}
    TakenFrame(TakenFrame&& other) noexcept { *this = std::move(other); }
    TakenFrame& operator=(TakenFrame&& other) noexcept;
    ~TakenFrame() { release(); }

    const FrameInfo& info() const { return info_; }
    size_t slot() const { return slot_; }
    void release();

private:
    FrameInfo info_;
    FrameRing* ring_ = nullptr;
    size_t slot_ = 0;
};

// A few slots that go round between the thread that fills them and the one that uses them. Who must
// not wait for the other is the policy: with newest_wins it is the filler, who takes back what
// nobody took; else nothing is lost, and it waits, and slots are filled in turn.
class FrameRing {
public:
    FrameRing(size_t slots, bool newest_wins);

    // The filler: a slot to write into, unless it is to stop before there is one.
    std::optional<size_t> begin(std::stop_token stop);
    void publish(size_t slot, FrameInfo info);
    void abandon(size_t slot);
    // There will be no more frames, because of `error` where there is one.
    void close(std::exception_ptr error = nullptr);

    // The consumer: the next frame. take() has nothing where there is none yet, or none any more;
    // wait() has nothing only after the last one, and then throws the error that ended it.
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

    const bool newest_wins_;
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
