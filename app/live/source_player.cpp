#include "app/live/source_player.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "app/sources/open_source.h"
#include "app/sources/pictures.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

std::string describe(const CaptureStatus& status, const std::string& source) {
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

bool is_live(const SourceTraits& traits) { return traits.live || traits.name.empty(); }

}  // namespace

SourcePlayer::SourcePlayer(FrameRing& ring, const CaptureOptions& options)
    : ring_(ring), options_(options) {}

void SourcePlayer::close() {
    capture_.reset();
    error_.clear();
    seeking_ = false;
    dropped_ = forgiven_ = 0;
}

void SourcePlayer::open(const std::string& source) {
    source_ = source;
    try {
        capture_ = std::make_unique<Capture>(source_, ring_, options_);
    } catch (const Error& error) {
        error_ = error.what();
        spdlog::error("{}", error.what());
    }
    next_frame_ = std::exchange(options_.first, 0);
}

void SourcePlayer::play(const Wishes& wishes, bool shows_picture) {
    if (!capture_) return;
    capture_->play_as({.paused = wishes.frozen && shows_picture,
                       .speed = wishes.speed,
                       .loop = options_.loop && wishes.loop});
}

void SourcePlayer::seek(uint64_t frame) {
    if (!capture_) return;
    capture_->seek(frame);
    const SourceTraits traits = capture_->status().traits;
    seeking_ = !is_live(traits) && traits.frames != 1;
}

std::optional<TakenFrame> SourcePlayer::take() {
    if (!capture_) return {};
    std::optional<TakenFrame> frame = capture_->take();
    if (!frame) return {};
    seeking_ = false;
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
    player.live = is_live(now.traits);
    player.frames = now.traits.frames;
    player.still = !player.live && player.frames == 1;
    player.at_end = !player.live && now.state == CaptureState::ended && now.reason.empty();
    player.rate = now.traits.rate;
    if (!shown) return;
    player.frame = shown->index;
    player.time = shown->time;
    player.name = shown->source;
}

}  // namespace saccade
