#include "app/frame/frame_ring.h"

#include <algorithm>
#include <utility>

namespace saccade {

TakenFrame& TakenFrame::operator=(TakenFrame&& other) noexcept {
    if (this == &other) return *this;
    release();
    info_ = std::move(other.info_);
    ring_ = std::exchange(other.ring_, nullptr);
    slot_ = other.slot_;
    return *this;
}

void TakenFrame::release() {
    if (FrameRing* ring = std::exchange(ring_, nullptr)) ring->abandon(slot_);
}

void FrameRing::open(RingPolicy policy) {
    const std::scoped_lock lock(mutex_);
    policy_ = policy;
    for (Use& use : uses_)
        if (use != Use::taken) use = Use::free;
    ready_.clear();
    turn_ = 0;
    closed_ = false;
    error_ = nullptr;
    published_ = dropped_ = 0;
}

std::optional<size_t> FrameRing::free_slot() const {
    if (policy_ == RingPolicy::every_frame)
        return uses_[turn_] == Use::free ? std::optional(turn_) : std::nullopt;
    const auto found = std::ranges::find(uses_, Use::free);
    if (found == uses_.end()) return std::nullopt;
    return static_cast<size_t>(found - uses_.begin());
}

std::optional<size_t> FrameRing::begin(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    std::optional<size_t> slot;
    auto found = [&] {
        slot = free_slot();
        if (!slot && policy_ == RingPolicy::newest_wins && !ready_.empty()) {
            slot = ready_.front().slot;
            ready_.pop_front();
            ++dropped_;
        }
        return slot.has_value();
    };
    if (!changed_.wait(lock, stop, found)) return std::nullopt;
    uses_[*slot] = Use::filling;
    return slot;
}

void FrameRing::publish(size_t slot, FrameInfo info) {
    const std::scoped_lock lock(mutex_);
    if (policy_ == RingPolicy::newest_wins) {
        for (const Ready& old : ready_) uses_[old.slot] = Use::free;
        dropped_ += ready_.size();
        ready_.clear();
    }
    uses_[slot] = Use::ready;
    turn_ = (slot + 1) % uses_.size();
    ready_.push_back({slot, std::move(info)});
    ++published_;
    changed_.notify_all();
}

void FrameRing::abandon(size_t slot) {
    const std::scoped_lock lock(mutex_);
    uses_[slot] = Use::free;
    changed_.notify_all();
}

void FrameRing::forget() {
    const std::scoped_lock lock(mutex_);
    for (const Ready& old : ready_) uses_[old.slot] = Use::free;
    ready_.clear();
    changed_.notify_all();
}

void FrameRing::close(std::exception_ptr error) {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    error_ = std::move(error);
    changed_.notify_all();
}

std::optional<TakenFrame> FrameRing::take_first() {
    if (ready_.empty()) return std::nullopt;
    Ready first = std::move(ready_.front());
    ready_.pop_front();
    uses_[first.slot] = Use::taken;
    return std::optional<TakenFrame>(std::in_place, *this, first.slot, std::move(first.info));
}

std::optional<TakenFrame> FrameRing::take() {
    const std::scoped_lock lock(mutex_);
    if (ready_.empty() && error_) std::rethrow_exception(error_);
    return take_first();
}

std::optional<TakenFrame> FrameRing::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !ready_.empty(); });
    if (ready_.empty() && error_) std::rethrow_exception(error_);
    return take_first();
}

bool FrameRing::wait_for(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [&] { return closed_ || !ready_.empty(); });
    return !ready_.empty();
}

uint64_t FrameRing::published() const {
    const std::scoped_lock lock(mutex_);
    return published_;
}

uint64_t FrameRing::dropped() const {
    const std::scoped_lock lock(mutex_);
    return dropped_;
}

}  // namespace saccade
