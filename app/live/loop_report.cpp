#include <spdlog/spdlog.h>

#include <algorithm>

#include "app/live/loop.h"
#include "app/sources/open_source.h"
#include "app/sources/pictures.h"

// What the loop counts and tells of itself.

namespace saccade {

namespace {

using namespace std::chrono_literals;

// Of what is there, what was asked for.
Truth truth_of(Truth truth, const std::set<std::string>& only) {
    if (!only.empty())
        std::erase_if(truth.objects, [&](const TrueObject& o) { return !only.contains(o.label); });
    return truth;
}

std::string describe(const CaptureStatus& status, const std::string& source) {
    switch (status.state) {
        case CaptureState::connecting:
            return "opening " + title_of_source(source) +
                   (status.reason.empty() ? "" : ": " + status.reason);
        case CaptureState::lost:
            return status.reason;
        case CaptureState::ended:
            return status.reason;
        case CaptureState::playing:
            break;
    }
    return "";
}

}  // namespace

bool filters_the_same(const LiveState& a, const LiveState& b) {
    return a.threshold == b.threshold && a.only == b.only && a.most == b.most &&
           a.least_scores == b.least_scores;
}

void LiveLoop::count_frame() {
    ++finished_;
    const auto now = Clock::now();
    if (last_frame_) frame_seconds_.add(std::chrono::duration<float>(now - *last_frame_).count());
    last_frame_ = now;
    for (const auto& [stage, ms] : shown_->result.ms) note_time(stage, ms);
    frame_gpu_ms_.add(static_cast<float>(std::exchange(gpu_ms_, 0)));
}

void LiveLoop::note_time(std::string_view stage, double ms) {
    report_.stages.add(stage, ms);
    gpu_ms_ += ms;
}

void LiveLoop::was_shown() {
    if (!shown_ || shown_->repeated) return;
    const std::chrono::duration<double, std::milli> age =
        Clock::now() - shown_->result.info.captured;
    report_.latency_ms = age.count();
}

// Another source, model or filter begins another account.
void LiveLoop::score_frame(const LiveState& state) {
    const FrameResult& shown = shown_->result;
    if (!scored_ || !filters_the_same(*scored_, state)) {
        report_.score.reset();
        scored_ = state;
    }
    if (shown_->detected && !shown_->repeated && tracker_) identities_.add(shown);
    if (shown.info.truth && !report_.score) report_.score.emplace();
    if (shown_->detected && !shown_->repeated && shown.info.truth)
        report_.score->add(*shown.detections, report_.labels,
                           truth_of(*shown.info.truth, state.only));
    const std::optional<Truth>& truth = captions().frame().truth;
    if (shown_->caption_ended && truth && report_.score)
        report_.score->add_caption(captions().caption().text, *truth);
}

void LiveLoop::tell_player(const CaptureStatus& status) {
    PlayerReport& player = report_.player;
    player.live = status.traits.live || status.traits.name.empty();
    player.frames = status.traits.frames;
    player.still = !player.live && player.frames == 1;
    player.at_end = !player.live && status.state == CaptureState::ended && status.reason.empty();
    player.rate = status.traits.rate;
    if (!shown_) return;
    player.frame = shown_->result.info.index;
    player.time = shown_->result.info.time;
    player.name = shown_->result.info.source;
}

void LiveLoop::tell_tracks() {
    if (!tracker_) return report_.tracks.reset();
    if (!report_.tracks) report_.tracks.emplace();
    TrackReport& tracks = *report_.tracks;
    tracks.seen = tracks.lost = 0;
    tracks.lost_numbers.clear();
    tracks.found_numbers.clear();
    tracks.followed = followed_;
    tracks.state = TrackReport::Followed::gone;
    for (const Track& track : tracker_->tracker().tracks()) {
        if (track.number == 0) continue;
        ++(track.lost ? tracks.lost : tracks.seen);
        if (track.lost) tracks.lost_numbers.push_back(track.number);
        const double now = tracker_->tracker().time();
        if (!track.lost && track.found && now - *track.found < Trail::seconds)
            tracks.found_numbers.push_back(track.number);
        if (track.number == followed_)
            tracks.state = track.lost ? TrackReport::Followed::lost : TrackReport::Followed::seen;
    }
    tracks.numbers = tracker_->tracker().numbers();
    tracks.found_again = tracker_->tracker().found_again();
    if (const RegionCounter* counter = tracker_->counter()) tracks.counts = counter->counts();
}

// What nobody wanted to see is not missing.
void LiveLoop::forgive_drops() {
    if (!capture_) return;
    const uint64_t dropped = capture_->status().dropped;
    if (dropped > dropped_) forgiven_ += dropped - dropped_;
    dropped_ = dropped;
}

void LiveLoop::tell(const LiveState& state) {
    report_.source = source_;
    if (capture_) {
        const CaptureStatus status = capture_->status();
        report_.source_state = describe(status, source_);
        report_.source_missing =
            status.state == CaptureState::lost && kind_of_source(source_) != SourceKind::stream;
        dropped_ = std::max(dropped_, status.dropped);
        report_.dropped = dropped_ - std::min(forgiven_, dropped_);
        tell_player(status);
    } else {
        report_.source_state = source_error_;
        report_.source_missing = false;
    }
    report_.frames = finished_;
    const float seconds = frame_seconds_.mean();
    report_.frames_per_second = seconds > 0 ? 1 / double(seconds) : 0;
    if (seconds > 0)
        report_.gpu_idle = std::clamp(1 - double(frame_gpu_ms_.mean() / 1000 / seconds), 0.0, 1.0);
    report_.recorded_seconds = recorder_.seconds();
    models_.tell(report_);
    if (shaders_) report_.shader_error = shaders_->error();
    const auto now = Clock::now();
    if (std::optional<std::string> news = recorder_.news()) {
        spdlog::info("{}", *news);
        report_.notice = std::move(*news);
        notice_time_ = now;
    } else if (notice_time_ && now - *notice_time_ > 4s) {
        report_.notice.clear();
        notice_time_.reset();
    }
    tell_tracks();
    if (last_told_ && now - *last_told_ < 1s) return;
    if (report_.tracks) {
        report_.tracks->idf1 = identities_.idf1();
        report_.tracks->mota = identities_.mota();
        report_.tracks->switches = identities_.switches();
    }
    last_told_ = now;
    report_.memory = engine_.device().memory();
    spdlog::info(
        "{} frames, {:.1f} frames/s, {} dropped, {:.0f} ms old, memory: GPU {:.1f} MiB, "
        "host {:.1f} MiB{}",
        report_.frames, report_.frames_per_second, report_.dropped, report_.latency_ms,
        double(report_.memory.device_bytes) / (1 << 20),
        double(report_.memory.host_bytes) / (1 << 20), state.frozen ? ", frozen" : "");
}

}  // namespace saccade
