#include "app/live/frame_stats.h"

#include <algorithm>
#include <utility>

namespace saccade {

namespace {

constexpr float enough_intervals = 5, enough_seconds = 0.05f;

// The part of the ground truth that the filter lets through.
Truth filtered_truth(Truth truth, const std::set<std::string>& only) {
    if (!only.empty())
        std::erase_if(truth.objects, [&](const TrueObject& o) { return !only.contains(o.label); });
    return truth;
}

}  // namespace

void FrameStats::add_frame(const FrameResult& result, Status& status) {
    ++status.frames;
    const auto now = Clock::now();
    if (last_frame_) frame_seconds_.add(std::chrono::duration<float>(now - *last_frame_).count());
    last_frame_ = now;
    for (const auto& [stage, ms] : result.ms) add_time(stage, ms, status);
    frame_gpu_ms_.add(static_cast<float>(std::exchange(gpu_ms_, 0)));
}

void FrameStats::add_time(std::string_view stage, double ms, Status& status) {
    status.stages.add(stage, ms);
    gpu_ms_ += ms;
}

void FrameStats::restart(Status& status) {
    status.stages = {};
    frame_gpu_ms_ = frame_seconds_ = {};
    last_frame_.reset();
    gpu_ms_ = 0;
}

void FrameStats::score(const Done& shown, const Wishes::Filter& filter,
                       const CaptionWriter& captions, Status& status) {
    const FrameResult& result = shown.result;
    if (scored_for_ != filter) {
        status.score.reset();
        scored_for_ = filter;
    }
    if (result.info.truth && !status.score) status.score.emplace();
    if (shown.detected && shown.first_look && result.info.truth)
        status.score->add(*result.detections, status.labels,
                          filtered_truth(*result.info.truth, filter.only));
    const std::optional<Truth>& truth = captions.frame().truth;
    if (shown.caption_ended && truth && status.score)
        status.score->add_caption(captions.caption().text, *truth);
}

void FrameStats::report(Status& status) const {
    const float seconds = frame_seconds_.mean();
    // Frames that became ready together are no rate: a few intervals must have taken some time.
    const auto intervals = static_cast<float>(frame_seconds_.count());
    if (intervals < enough_intervals && intervals * seconds < enough_seconds) return;
    status.frames_per_second = 1 / double(seconds);
    status.gpu_idle = std::clamp(1 - double(frame_gpu_ms_.mean() / 1000 / seconds), 0.0, 1.0);
}

}  // namespace saccade
