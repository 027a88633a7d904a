#include "app/live/outputs.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "app/draw/heat_map.h"
#include "app/io/picture_file.h"
#include "gpu/core/error.h"

namespace saccade {

using namespace std::chrono_literals;

bool FrameOutputs::follow(const Wishes& wishes, Events& events, Status& status) {
    const size_t saved = events.take<SaveFrame>().size();
    frames_due_ += saved;
    if (const auto pages = events.take<MakePage>(); !pages.empty()) page_due_ = pages.back();
    follow_recording(wishes, status);
    return follow_feed(wishes, status) || saved > 0;
}

void FrameOutputs::follow_recording(const Wishes& wishes, Status& status) {
    if (!wishes.recording)
        status.recording_failed = false;
    else if (recorder_.recording() && recorder_.failed())
        status.recording_failed = true;
    const bool records = wishes.recording && !status.recording_failed;
    if (records == recorder_.recording()) return;
    if (records)
        recorder_.start();
    else
        recorder_.stop(seconds_now());
}

bool FrameOutputs::follow_feed(const Wishes& wishes, Status& status) {
    const bool changed = feed_target_ != wishes.feed;
    if (changed) {
        feed_target_ = wishes.feed;
        status.feed_failed = status.feed_file_ended = false;
        feed_ = feed_target_.empty() ? nullptr : std::make_unique<Feed>(feed_target_);
    }
    if (feed_)
        if (const std::optional<std::string> error = feed_->trouble()) end_feed_by(*error, status);
    return changed;
}

void FrameOutputs::end_feed(Status& status) {
    if (!feed_) return;
    if (const std::optional<std::string> error = feed_->end()) return end_feed_by(*error, status);
    feed_.reset();
}

void FrameOutputs::end_feed_by(const std::string& error, Status& status) {
    spdlog::error("{}", error);
    status.feed_failed = true;
    std::error_code none;
    status.feed_file_ended = feed_->began() && std::filesystem::is_regular_file(feed_target_, none);
    notify(error, status);
    feed_.reset();
}

void FrameOutputs::take(const PictureView& picture) {
    if (!picture.pixels) return;
    for (; frames_due_ > 0; --frames_due_) recorder_.screenshot(picture);
    recorder_.frame(picture, seconds_now());
    if (feed_) feed_->show(picture);
}

void FrameOutputs::take_bare(const PictureView& picture, Status& status) {
    const MakePage page = std::exchange(page_due_, {}).value_or(MakePage());
    const std::filesystem::path file =
        page.file.empty() ? recorder_.new_file(".png") : std::filesystem::path(page.file);
    try {
        write_picture(file, as_bgr(picture));
        status.bare_file = file.string();
        status.bare_for_lecture = page.lecture;
    } catch (const Error& error) {
        notify(error.what(), status);
    }
}

void FrameOutputs::notify(std::string notice, Status& status) {
    status.notice = std::move(notice);
    notice_time_ = Clock::now();
}

void FrameOutputs::report(Status& status) {
    status.recorded_seconds = recorder_.seconds();
    if (std::optional<std::string> news = recorder_.news()) {
        spdlog::info("{}", *news);
        notify(std::move(*news), status);
    } else if (notice_time_ && Clock::now() - *notice_time_ > 4s) {
        status.notice.clear();
        notice_time_.reset();
    }
}

}  // namespace saccade
