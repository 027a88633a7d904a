#include "app/live/source_player.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "app/sources/open_source.h"
#include "app/sources/pictures.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

std::string describe(const CaptureStatus& status, const SourceName& source) {
    switch (status.state) {
        case CaptureState::connecting:
            return "opening " + title_of_source(source) +
                   (status.reason.empty() ? "" : ": " + status.reason);
        case CaptureState::lost:
        case CaptureState::ended:
            return status.reason;
        case CaptureState::playing:
            break;
    }
    return "";
}

bool live_by(const SourceTraits& traits) { return traits.live || traits.name.empty(); }

}  // namespace

SourcePlayer::SourcePlayer(FrameRing& ring, const CaptureOptions& options)
    : ring_(ring), options_(options) {}

void SourcePlayer::close() {
    capture_.reset();
    error_.clear();
    seeking_ = false;
    sought_.reset();
    dropped_ = forgiven_ = 0;
}

void SourcePlayer::open(const SourceName& source) {
    source_ = source;
    try {
        capture_ = std::make_unique<Capture>(source_, ring_, options_);
    } catch (const Error& error) {
        error_ = error.what();
        spdlog::error("{}", error.what());
    }
    next_frame_ = std::exchange(options_.first, 0);
}

void SourcePlayer::play(bool stands, bool shows_picture, const Wishes& wishes) {
    if (!capture_) return;
    capture_->play_as({.paused = stands && shows_picture,
                       .speed = wishes.speed,
                       .loop = options_.loop && wishes.loop});
}

void SourcePlayer::seek(const Seek& seek, uint64_t shown) {
    if (!capture_) return;
    const SourceTraits traits = capture_->status().traits;
    if (live_by(traits) || traits.frames == 1) return;
    uint64_t frame = seek.frame;
    if (seek.by != 0) {
        const uint64_t from = sought_.value_or(shown), back = seek.by < 0 ? uint64_t(-seek.by) : 0;
        frame = seek.by < 0 ? from - std::min(from, back) : from + uint64_t(seek.by);
        if (has_pictures() && traits.frames) frame = std::min(frame, *traits.frames - 1);
        if (frame == from) return;  // there is none before the first or after the last
    }
    capture_->seek(frame);
    seeking_ = true;
    sought_ = frame;
}

bool SourcePlayer::is_live() const { return capture_ && live_by(capture_->status().traits); }

bool SourcePlayer::has_pictures() const {
    return capture_ && kind_of_source(source_) == SourceKind::pictures &&
           capture_->status().traits.frames != 1;
}

std::optional<TakenFrame> SourcePlayer::take() {
    if (!capture_) return {};
    std::optional<TakenFrame> frame = capture_->take();
    if (!frame) {
        if (!seeking_) return {};
        const CaptureStatus now = capture_->status();
        if (now.state != CaptureState::ended || now.seeking) return {};
        seeking_ = false;  // there is no such frame
        sought_.reset();
        return {};
    }
    if (std::exchange(seeking_, false))
        sought_ = frame->info().index;
    else
        sought_.reset();
    next_frame_ = frame->info().index + 1;
    return frame;
}

void SourcePlayer::forgive_drops() {
    if (!capture_) return;
    const uint64_t dropped = capture_->status().dropped;
    if (dropped > dropped_) forgiven_ += dropped - dropped_;
    dropped_ = dropped;
}

void SourcePlayer::report(Status& status, const FrameInfo* shown) {
    status.source = source_;
    status.source_missing = false;
    if (!capture_) {
        status.source_state = error_;
        return;
    }
    const CaptureStatus now = capture_->status();
    status.source_state = describe(now, source_);
    status.source_missing =
        now.state == CaptureState::lost && kind_of_source(source_) != SourceKind::stream;
    dropped_ = std::max(dropped_, now.dropped);
    status.dropped = dropped_ - std::min(forgiven_, dropped_);
    PlayerStatus& player = status.player;
    player.live = live_by(now.traits);
    player.frames = now.traits.frames;
    player.still = !player.live && player.frames == 1;
    player.at_end = !player.live && now.state == CaptureState::ended && now.reason.empty();
    player.rate = now.traits.rate;
    if (!shown) return;
    player.frame = shown->index;
    player.scene = shown->scene;
    player.time = shown->time;
    player.name = shown->source;
}

}  // namespace saccade
