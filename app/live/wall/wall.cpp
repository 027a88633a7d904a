#include "app/live/wall/wall.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "gpu/core/error.h"

namespace saccade {

using namespace std::chrono_literals;

size_t Wall::frames_together(const DeviceInfo& device) {
    constexpr uint64_t gib = uint64_t{1} << 30;
    if (device.kind == DeviceKind::cpu || device.memory_bytes < 4 * gib) return 1;
    return device.memory_bytes < 12 * gib ? 2 : 8;
}

Wall::Wall(Engine& engine, const CaptureOptions& capture, const std::filesystem::path& folder,
           std::span<const LivePlace> from, size_t together)
    : engine_(engine), together_(together), news_(from.size()) {
    for (const LivePlace& place : from) {
        turns_.push_back(loops_.size());
        if (loops_.empty())
            loops_.push_back(std::make_unique<LiveLoop>(engine, capture, folder, place));
        else
            loops_.push_back(std::make_unique<LiveLoop>(*loops_.front(), capture, folder, place));
    }
}

// The first one has the models.
Wall::~Wall() {
    tiles_.reset();
    while (!loops_.empty()) loops_.pop_back();
}

std::vector<LivePlace> Wall::places() const {
    std::vector<LivePlace> places;
    for (const auto& loop : loops_) places.push_back(loop->place());
    return places;
}

std::vector<const Status*> Wall::statuses() const {
    std::vector<const Status*> statuses;
    for (const auto& loop : loops_) statuses.push_back(&loop->status());
    return statuses;
}

uint64_t Wall::frames() const {
    uint64_t frames = 0;
    for (const auto& loop : loops_) frames += loop->status().frames;
    return frames;
}

void Wall::show_in(PictureRing& window) {
    window_ = &window;
    for (const auto& loop : loops_) loop->show_in(window);
}

bool Wall::publish(const Wishes::Look& look, size_t front) {
    if (!look.tile) {
        tiles_.reset();
        const std::optional<Done>& shown = loops_[front]->shown();
        if (shown) shown->window.publish();
        return std::exchange(tiles_due_, false);
    }
    bool published = false;
    if (tiles_ && engine_.device().reached(tiles_->ticket())) {
        tiles_->publish();
        tiles_.reset();
        published = true;
    }
    if (tiles_due_ && !tiles_) {
        tiles_ = loops_.front()->together().send_tiles(*window_, look.tile->all);
        tiles_due_ = false;
    }
    return published;
}

bool Wall::step(std::span<WallPart> parts) {
    share(parts);
    for (size_t i = 0; i < loops_.size(); ++i)
        loops_[i]->follow(parts[i].wishes, parts[i].pointer, parts[i].events);
    begin_frames(parts);
    for (size_t i = 0; i < loops_.size(); ++i)
        news_[i] = loops_[i]->collect(parts[i].wishes, parts[i].pointer);
    const bool new_picture = std::ranges::find(news_, true) != news_.end();
    tiles_due_ = tiles_due_ || new_picture;
    return new_picture;
}

void Wall::share(std::span<WallPart> parts) {
    if (parts.size() == 1) return;
    std::optional<SharedWishes> changed;
    for (const WallPart& part : parts) {
        const Wishes& w = part.wishes;
        SharedWishes now{w.detector,        w.classifier,        w.captioner,
                         w.detector_stride, w.classifier_stride, w.prompts};
        if (shared_ != now) changed = std::move(now);
        if (!shared_) break;
    }
    if (!changed) return;
    shared_ = std::move(changed);
    for (WallPart& part : parts) {
        Wishes& w = part.wishes;
        w.detector = shared_->detector;
        w.classifier = shared_->classifier;
        w.captioner = shared_->captioner;
        w.detector_stride = shared_->detector_stride;
        w.classifier_stride = shared_->classifier_stride;
        w.prompts = shared_->prompts;
    }
}

void Wall::begin_frames(std::span<WallPart> parts) {
    std::erase_if(batches_, [&](Ticket batch) { return engine_.device().reached(batch); });
    if (loops_.front()->holds_back()) return;
    double ms = 0;
    uint64_t frames = 0;
    for (const auto& loop : loops_) {
        ms = std::max(ms, loop->frame_ms());
        frames += loop->status().frames + loop->in_flight();
    }
    if (batches_.size() >= LiveLoop::most_in_flight(ms * double(last_batch_))) return;
    std::vector<PathsTogether::Beginning> offered;
    std::vector<std::pair<size_t, Size>> from;  // which source, and the size of its frame
    for (const size_t i : turns_) {
        if (offered.size() == together_) break;
        if (most_frames_ > 0 && frames + offered.size() >= most_frames_) break;
        auto next = loops_[i]->offer(parts[i].wishes, parts[i].pointer);
        // Where frames begin one at a time, a source whose caption takes long keeps its turn.
        if (!next && together_ == 1 && loops_[i]->queues()) break;
        if (!next) continue;
        from.emplace_back(i, next->frame.info().size);
        offered.push_back(std::move(*next));
    }
    if (offered.empty()) return;
    last_batch_ = offered.size();
    for (const auto& [i, size] : from) {
        std::erase(turns_, i);
        turns_.push_back(i);
    }
    try {
        batches_.push_back(loops_.front()->together().begin(std::move(offered)));
        for (const auto& [i, size] : from) loops_[i]->has_begun(parts[i].wishes, parts[i].pointer);
    } catch (const OutOfMemory& error) {
        for (const auto& [i, size] : from) loops_[i]->recover(error, size);
        if (from.size() > 1) together_ = from.size() / 2;
    }
}

bool Wall::all_of(bool (LiveLoop::*holds)() const) const {
    return std::ranges::all_of(loops_, [&](const auto& loop) { return (*loop.*holds)(); });
}

bool Wall::waits_for_person() const { return all_of(&LiveLoop::waits_for_person); }

bool Wall::waits_for_source() const {
    return !waits_for_person() && std::ranges::all_of(loops_, [](const auto& loop) {
        return loop->waits_for_source() || loop->waits_for_person();
    });
}

bool Wall::over() const { return all_of(&LiveLoop::over); }

void Wall::rest() const {
    if (loops_.size() == 1) return loops_.front()->rest();
    std::this_thread::sleep_for(all_of(&LiveLoop::idle) ? 2ms : 500us);
}

}  // namespace saccade
