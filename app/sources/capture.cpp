#include "app/sources/capture.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "app/sources/open_source.h"
#include "app/sources/pictures.h"
#include "gpu/core/check.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

using namespace std::chrono_literals;

struct Stopped {};   // thrown through a source that waits for a slot
struct Unwanted {};  // thrown when a seek makes the frame that waits for its time obsolete

std::chrono::steady_clock::duration seconds(double count) {
    return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(count));
}

bool is_live(SourceKind kind) {
    return kind == SourceKind::camera || kind == SourceKind::stream || kind == SourceKind::screen;
}

}  // namespace

Capture::Capture(SourceName source, FrameRing& ring, const CaptureOptions& options)
    : name_(std::move(source)),
      options_(options),
      live_(is_live(kind_of_source(name_))),
      ring_(ring),
      retry_(options.first_retry) {
    if (!live_) {
        source_ = open_source(name_, options_.source);
        if (options_.first > 0) source_->seek(options_.first);
        status_.traits = source_->traits();
        still_ = options.loop && kind_of_source(name_) == SourceKind::pictures &&
                 source_->traits().frames == 1;
        one_by_one_ = kind_of_source(name_) == SourceKind::pictures && source_->traits().frames > 1;
    }
    playback_.loop = options.loop;
    ring_.open(RingPolicy::newest_wins);
    thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

void Capture::stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
}

CaptureStatus Capture::status() const {
    CaptureStatus status;
    {
        const std::scoped_lock lock(mutex_);
        status = status_;
        status.dropped = left_out_;
        status.seeking = seeking_;
    }
    status.frames = ring_.published();
    status.dropped += ring_.dropped();
    return status;
}

std::optional<TakenFrame> Capture::take() {
    const std::scoped_lock lock(mutex_);
    if (seeking_) return std::nullopt;  // a ready frame is from before the seek
    std::optional<TakenFrame> frame = ring_.take();
    if (frame) {
        taken_ = true;
        if (one_by_one_) wake_.notify_all();
    }
    return frame;
}

void Capture::play_as(const Playback& playback) {
    const std::scoped_lock lock(mutex_);
    if (live_ || playback == playback_) return;
    if (at_end_ && playback_.paused && !playback.paused) {  // playing at the end restarts the file
        wanted_ = 0;
        seeking_ = true;
    }
    playback_ = playback;
    ++changes_;
    wake_.notify_all();
}

void Capture::seek(uint64_t frame) {
    const std::scoped_lock lock(mutex_);
    if (live_ || still_) return;
    wanted_ = frame;
    seeking_ = true;
    ++changes_;
    wake_.notify_all();
}

void Capture::set_state(CaptureState state, const std::string& reason) {
    const std::scoped_lock lock(mutex_);
    if (!reason.empty() && reason != status_.reason) spdlog::warn("{}", reason);
    status_.state = state;
    status_.reason = reason;
}

bool Capture::sleep_until(Clock::time_point time, std::stop_token stop) {
    std::unique_lock lock(mutex_);
    wake_.wait_until(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
}

void Capture::run(std::stop_token stop) {
    while (!stop.stop_requested()) {
        std::string reason;
        try {
            if (!source_) source_ = open_source(name_, options_.source, stop);
            {
                const std::scoped_lock lock(mutex_);
                status_.traits = source_->traits();
            }
            play(stop);
            if (live_) reason = "the stream '" + name_.text() + "' has ended";
        } catch (const Stopped&) {
        } catch (const DeviceLost&) {
            // The consumer's memory is lost with its device; opening the source again would not
            // help.
            return ring_.close(std::current_exception());
        } catch (const std::exception& error) {
            reason = error.what();
        }
        source_.reset();
        if (stop.stop_requested()) break;
        // A screen is not opened again: the desktop would ask for permission each time.
        if (!live_ || kind_of_source(name_) == SourceKind::screen) {
            if (reason.empty() && ring_.published() == 0 && options_.first == 0)
                reason = "nothing in '" + title_of_source(name_) + "' can be read as a picture";
            set_state(CaptureState::ended, reason);
            break;
        }
        set_state(CaptureState::lost, reason);
        sleep_until(Clock::now() + retry_, stop);
        retry_ = std::min(2 * retry_, options_.last_retry);
    }
    ring_.close();
}

bool Capture::wait_until_wanted(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    auto wanted = [&] { return wanted_ || (!playback_.paused && !(at_end_ && !playback_.loop)); };
    if (wanted()) return true;
    if (!wake_.wait(lock, stop, wanted)) return false;
    start_.reset();  // the pause does not count as delay
    return true;
}

void Capture::follow_seek() {
    std::optional<uint64_t> frame;
    {
        const std::scoped_lock lock(mutex_);
        frame = std::exchange(wanted_, std::nullopt);
        if (frame) at_end_ = false;
    }
    if (!frame) return;
    source_->seek(*frame);
    start_.reset();
    ring_.forget();
    cuts_.begin_anew();
    ++scene_;
}

// No picture is left out: the next one is ready when this one has been taken.
void Capture::wait_until_taken(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    if (!wake_.wait(lock, stop, [&] { return taken_ || wanted_; })) return;
    start_.reset();
}

// Plays to the source's end, and from its start again if it loops.
void Capture::play(std::stop_token stop) {
    bool any = false;
    while (!stop.stop_requested()) {
        if (!live_) {
            if (!wait_until_wanted(stop)) return;
            follow_seek();
        }
        try {
            if (deliver(stop)) {
                any = true;
                if (one_by_one_) wait_until_taken(stop);
                if (!still_) continue;
                std::unique_lock lock(mutex_);
                wake_.wait(lock, stop, [] { return false; });
                return;
            }
        } catch (const Unwanted&) {
            continue;
        }
        bool loop = false, again = false;
        {
            const std::scoped_lock lock(mutex_);
            again = std::exchange(seeking_, false);  // the seek went beyond the end
            loop = playback_.loop;
            at_end_ = options_.stays && !loop;
        }
        if (live_ || (!loop && !options_.stays) || !(any || again)) return;
        if (at_end_) {
            set_state(CaptureState::ended);
            continue;
        }
        source_->seek(0);
        start_.reset();
        cuts_.begin_anew();
        ++scene_;
        any = false;
    }
}

bool Capture::deliver(std::stop_token stop) {
    std::optional<size_t> slot;
    std::optional<FrameInfo> info;
    Slot memory;
    try {
        info = source_->next([&](const PixelLayout& layout) {
            if (!slot) slot = ring_.begin(stop);
            if (!slot) throw Stopped();
            return memory = ring_.memory(*slot, layout);
        });
        if (!info) return false;
        live_ ? continue_count(*info) : keep_pace(*info, stop);
    } catch (...) {
        if (slot) ring_.abandon(*slot);
        throw;
    }
    info->scene = scene_of(memory);
    retry_ = options_.first_retry;
    set_state(CaptureState::playing);
    {
        const std::scoped_lock lock(mutex_);
        taken_ = false;
    }
    ring_.publish(*slot, std::move(*info));
    const std::scoped_lock lock(mutex_);
    if (!wanted_) seeking_ = false;
    return true;
}

uint64_t Capture::scene_of(const Slot& frame) {
    if (one_by_one_ || cuts_.before(frame)) ++scene_;
    return scene_;
}

// A source that was opened again continues the frame numbers and times.
void Capture::continue_count(FrameInfo& info) {
    if (!start_) start_ = info.captured;
    info.index = count_++;
    info.time = std::chrono::duration<double>(info.captured - *start_).count();
}

void Capture::wait_until_due(double time, std::stop_token stop) {
    std::unique_lock lock(mutex_);
    for (;;) {
        const uint64_t seen = changes_;
        auto changed = [&] { return changes_ != seen; };
        if (wanted_) throw Unwanted();
        if (playback_.paused) {
            wake_.wait(lock, stop, changed);
        } else {
            if (!start_) start_ = Clock::now() - seconds(time / playback_.speed);
            if (!wake_.wait_until(lock, stop, *start_ + seconds(time / playback_.speed), changed) &&
                !stop.stop_requested())
                return;
        }
        if (stop.stop_requested()) throw Stopped();
        start_.reset();  // the speed has changed: timing restarts at this frame
    }
}

// Waits until a file's frame is due. Late frames are skipped, unless decoding itself is too slow:
// then skipping would only add delay, and the file plays slowly.
void Capture::keep_pace(FrameInfo& info, std::stop_token stop) {
    const auto now = Clock::now();
    double speed = 1;
    bool seeking = false;
    {
        const std::scoped_lock lock(mutex_);
        speed = playback_.speed;
        seeking = seeking_ && !wanted_;
    }
    if (!start_) start_ = now - seconds(info.time / speed);
    const auto due = *start_ + seconds(info.time / speed);
    const double rate = source_->traits().rate * speed;
    if (seeking) {
        start_ = now - seconds(info.time / speed);
    } else if (now < due) {
        wait_until_due(info.time, stop);
    } else if (now - due > 1s) {
        start_ = now - seconds(info.time / speed);
    } else if (rate > 0) {
        const double late = std::chrono::duration<double>(now - due).count();
        if (const auto frames = static_cast<uint64_t>(late * rate); frames > 0) {
            source_->seek(info.index + 1 + frames);
            const std::scoped_lock lock(mutex_);
            left_out_ += frames;
        }
    }
    info.captured = Clock::now();
}

}  // namespace saccade
