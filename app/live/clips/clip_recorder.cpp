#include "app/live/clips/clip_recorder.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <opencv2/imgcodecs.hpp>
#include <utility>

#include "gpu/core/files.h"

namespace saccade {

namespace {

constexpr size_t most_waiting = 8;
constexpr int frames_at_a_time = 4;  // written before the next arrived frame is looked at
constexpr double rate = 30;          // frames per second of a clip, at most
constexpr int frames_to_look_at_room = 60;

// "2026-11-19 03:55:12.345"
std::string time_now() {
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    const auto ms = std::chrono::floor<std::chrono::milliseconds>(now).time_since_epoch().count();
    std::tm local{};
    ::localtime_r(&seconds, &local);
    char text[40], whole[48];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
    std::snprintf(whole, sizeof whole, "%s.%03d", text, int(ms % 1000));
    return whole;
}

}  // namespace

ClipRecorder::ClipRecorder(ClipStore& store, std::string source, const Lengths& lengths)
    : store_(store), source_(std::move(source)), lengths_(lengths) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

ClipRecorder::~ClipRecorder() {
    thread_.request_stop();
    thread_.join();
}

void ClipRecorder::add(const PlanarView& planes, double time, std::vector<std::string> happened) {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() >= most_waiting) {
        ++left_out_;
        missed_.insert(missed_.end(), happened.begin(), happened.end());
        return;
    }
    Arrived frame;
    if (!spare_.empty()) {
        frame.planes = std::move(spare_.back());
        spare_.pop_back();
    }
    frame.layout = planes.layout;
    frame.planes.assign(planes.memory, planes.memory + planes.layout.bytes());
    frame.time = time;
    frame.happened = std::exchange(missed_, {});
    frame.happened.insert(frame.happened.end(), happened.begin(), happened.end());
    waiting_.push_back(std::move(frame));
    wake_.notify_one();
}

uint64_t ClipRecorder::left_out() const {
    const std::scoped_lock lock(mutex_);
    return left_out_;
}

size_t ClipRecorder::waiting() const {
    const std::scoped_lock lock(mutex_);
    return waiting_.size();
}

std::optional<ClipRecorder::Arrived> ClipRecorder::take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    // A clip that is being written is gone on with while no frame arrives.
    const auto arrived = [&] { return !waiting_.empty(); };
    const std::chrono::duration<double> patience(lengths_.after);
    if (!open_)
        wake_.wait(lock, stop, arrived);
    else if (open_->next == kept_.size() && !wake_.wait_for(lock, stop, patience, arrived))
        open_->until = 0;  // the source gives no more
    if (waiting_.empty()) return {};
    Arrived frame = std::move(waiting_.front());
    waiting_.pop_front();
    return frame;
}

void ClipRecorder::run(const std::stop_token& stop) {
    while (!stop.stop_requested()) try {
            if (std::optional<Arrived> frame = take(stop)) {
                if (!frame->happened.empty()) begin(*frame);
                keep(*frame);
                const std::scoped_lock lock(mutex_);
                if (spare_.size() < most_waiting) spare_.push_back(std::move(frame->planes));
            }
            write_some();
            forget_old();
        } catch (const std::exception& error) {
            spdlog::error("a clip of '{}' cannot be written: {}", source_, error.what());
            open_.reset();
        }
    try {
        while (write_some()) {
        }
        finish();
    } catch (const std::exception& error) {
        spdlog::error("a clip of '{}' cannot be written: {}", source_, error.what());
    }
}

void ClipRecorder::keep(Arrived& frame) {
    const std::span<const uint8_t> jpeg = encoder_.encode(frame.planes, frame.layout);
    kept_.push_back({{jpeg.begin(), jpeg.end()}, frame.time});
    if (open_ && open_->picture.empty()) open_->picture = kept_.back().jpeg;
}

void ClipRecorder::begin(const Arrived& frame) {
    if (!open_) {
        forget_old();
        open_.emplace();
        const std::string now = time_now();
        open_->clip.time = now.substr(0, now.find('.'));
        open_->clip.source = source_;
        open_->name = store_.new_name(now, source_);
        open_->first = kept_.empty() ? frame.time : kept_.front().time;
    }
    for (const std::string& what : frame.happened)
        if (std::ranges::find(open_->clip.happened, what) == open_->clip.happened.end())
            open_->clip.happened.push_back(what);
    open_->until = std::min(frame.time + lengths_.after, open_->first + lengths_.longest);
}

bool ClipRecorder::write_some() {
    if (!open_) return false;
    for (int i = 0; i < frames_at_a_time; ++i) {
        if (open_->next == kept_.size()) {
            if (open_->until == 0) finish();
            return false;
        }
        const Kept& next = kept_[open_->next++];
        if (next.time > open_->until) {
            finish();
            return false;
        }
        write(next);
    }
    return true;
}

void ClipRecorder::write(const Kept& frame) {
    cv::Mat picture = cv::imdecode(frame.jpeg, cv::IMREAD_COLOR);
    const VideoClock clock(rate);
    if (picture.empty()) return;
    const Size even(std::max(picture.cols / 2 * 2, 2), std::max(picture.rows / 2 * 2, 2));
    if (!open_->video) {
        open_->size = even;
        open_->video =
            std::make_unique<VideoWriter>(open_->name.string() + ".mp4", open_->size, clock);
    }
    if (even != open_->size) return;  // the source has changed its size: that is another clip's
    const int64_t ticks = clock.ticks(frame.time - open_->first);
    if (ticks <= open_->ticks) return;
    open_->ticks = ticks;
    open_->last = frame.time;
    open_->video->write(PictureView{picture.data, open_->size.x, open_->size.y,
                                    static_cast<uint32_t>(picture.step), true},
                        ticks);
    if (open_->video->frames() % frames_to_look_at_room == 0) store_.make_room();
}

void ClipRecorder::finish() {
    if (!open_) return;
    Open done = std::move(*open_);
    open_.reset();
    if (!done.video) return;
    done.video->finish();
    NewFile picture(done.name.string() + ".jpg");
    picture.write(std::as_bytes(std::span(done.picture)));
    picture.finish();
    done.clip.seconds = done.last - done.first;
    store_.add(done.name, done.clip);
    spdlog::info("saved {}.mp4", done.name.string());
}

void ClipRecorder::forget_old() {
    while (!kept_.empty() && kept_.back().time - kept_.front().time > lengths_.before) {
        if (open_ && open_->next == 0) return;  // it is to be written first
        if (open_) --open_->next;
        kept_.pop_front();
    }
}

}  // namespace saccade
