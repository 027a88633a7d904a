#include "gpu/present/picture_ring.h"

#include <algorithm>
#include <utility>

#include "gpu/core/error.h"
#include "gpu/present/host_pictures.h"
#include "gpu/present/shared_pictures.h"

namespace saccade {

SentPicture& SentPicture::operator=(SentPicture&& other) noexcept {
    std::swap(ring_, other.ring_);
    std::swap(slot_, other.slot_);
    std::swap(number_, other.number_);
    std::swap(ticket_, other.ticket_);
    return *this;
}

void SentPicture::publish() const {
    if (ring_) ring_->publish(*this);
}

void SentPicture::reset() noexcept {
    if (ring_) std::exchange(ring_, nullptr)->release(*this);
}

std::unique_ptr<PictureRing> PictureRing::between(Device& drawing, Device& showing) {
    if (can_share_images(drawing, showing))
        return std::make_unique<SharedPictures>(drawing, showing);
    return std::make_unique<HostPictures>(drawing);
}

SentPicture PictureRing::send(Size size, std::span<const Part> parts) {
    SentPicture sent = take_free();
    sent.ticket_ = fill(sent.slot_, size, parts);
    return sent;
}

SentPicture PictureRing::take_free() {
    const std::scoped_lock lock(mutex_);
    auto found = std::ranges::find(slots_, Slot::State::free, &Slot::state);
    // A newer picture replaces one that was not taken yet.
    if (found == slots_.end())
        found = std::ranges::find(slots_, Slot::State::published, &Slot::state);
    if (found == slots_.end())
        throw Error("more pictures are drawn for a window at a time than there is room for");
    *found = {Slot::State::sent, ++sent_};
    return {*this, static_cast<size_t>(found - slots_.begin()), sent_};
}

void PictureRing::publish(const SentPicture& picture) {
    const std::scoped_lock lock(mutex_);
    Slot& slot = slots_[picture.slot_];
    if (slot.state != Slot::State::sent || slot.number != picture.number_) return;
    for (Slot& other : slots_)
        if (other.state == Slot::State::published) other.state = Slot::State::free;
    slot.state = Slot::State::published;
}

void PictureRing::release(const SentPicture& picture) noexcept {
    const std::scoped_lock lock(mutex_);
    Slot& slot = slots_[picture.slot_];
    if (slot.state == Slot::State::sent && slot.number == picture.number_)
        slot.state = Slot::State::free;
}

bool PictureRing::take() {
    size_t next = 0;
    {
        const std::scoped_lock lock(mutex_);
        const auto found = std::ranges::find(slots_, Slot::State::published, &Slot::state);
        if (found == slots_.end()) return false;
        found->state = Slot::State::shown;
        next = static_cast<size_t>(found - slots_.begin());
    }
    if (const std::optional<size_t> before = std::exchange(taken_, next)) {
        shown_ = {};
        close(*before);
        const std::scoped_lock lock(mutex_);
        slots_[*before].state = Slot::State::free;
    }
    shown_ = open(next);
    return true;
}

PictureRing::Shown PictureRing::shown() const { return shown_; }

}  // namespace saccade
