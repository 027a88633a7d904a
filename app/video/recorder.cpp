#include "app/video/recorder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <utility>

#include "app/io/picture_file.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

constexpr size_t most_frames_waiting = 4;

// Without the last column and row of odd sizes, which phones and browsers do not play: only even
// sizes can be stored as 4:2:0.
Size even(Size size) {
    return {size.x > 1 ? size.x / 2 * 2 : size.x, size.y > 1 ? size.y / 2 * 2 : size.y};
}

}  // namespace

Recorder::Recorder(std::filesystem::path folder, double rate, std::string name)
    : folder_(std::move(folder)), rate_(rate), name_(std::move(name)) {
    thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

Recorder::~Recorder() {
    stop(last_time_);
    thread_.request_stop();  // it finishes the queue first
}

bool Recorder::push(Job::Kind kind, const PictureView& picture, double time) {
    Job job{kind};
    {
        const std::scoped_lock lock(mutex_);
        const auto waiting = std::ranges::count(jobs_, Job::Kind::frame, &Job::kind);
        if (kind == Job::Kind::frame && size_t(waiting) >= most_frames_waiting) return false;
        if (!spare_.empty()) {
            job.pixels = std::move(spare_.back());
            spare_.pop_back();
        }
    }
    job.time = time;
    if (kind != Job::Kind::stop) {
        const size_t row = size_t(picture.width) * 3;
        job.width = picture.width;
        job.height = picture.height;
        job.pixels.resize(row * picture.height);
        for (uint32_t y = 0; y < picture.height; ++y)
            std::memcpy(&job.pixels[y * row], picture.pixels + size_t(y) * picture.row_bytes, row);
    }
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(job));
    wake_.notify_all();
    return true;
}

void Recorder::screenshot(const PictureView& picture) { push(Job::Kind::screenshot, picture, 0); }

void Recorder::start() {
    recording_ = true;
    first_time_.reset();
    left_out_ = 0;
    const std::scoped_lock lock(mutex_);
    failed_ = false;
}

void Recorder::frame(const PictureView& picture, double time) {
    if (!recording_ || failed()) return;
    if (!first_time_) first_time_ = time;
    last_time_ = time;
    if (!push(Job::Kind::frame, picture, time)) ++left_out_;
}

void Recorder::stop(double time) {
    if (!std::exchange(recording_, false)) return;
    push(Job::Kind::stop, {}, time);
}

double Recorder::seconds() const { return first_time_ ? last_time_ - *first_time_ : 0; }
bool Recorder::failed() const {
    const std::scoped_lock lock(mutex_);
    return failed_;
}
uint64_t Recorder::left_out() const { return left_out_; }

std::optional<std::string> Recorder::news() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(news_, std::nullopt);
}

void Recorder::run(std::stop_token stop) {
    for (;;) {
        Job job{Job::Kind::stop};
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, stop, [&] { return !jobs_.empty(); })) return;
            job = std::move(jobs_.front());
            jobs_.pop_front();
        }
        try {
            do_job(job);
        } catch (const std::exception& error) {
            const std::scoped_lock lock(mutex_);
            news_ = error.what();
            if (job.kind != Job::Kind::screenshot) {
                video_.reset();
                failed_ = true;
            }
        }
        const std::scoped_lock lock(mutex_);
        if (!job.pixels.empty() && spare_.size() < most_frames_waiting)
            spare_.push_back(std::move(job.pixels));
    }
}

void Recorder::do_job(const Job& job) {
    switch (job.kind) {
        case Job::Kind::frame:
            return failed() ? void() : add_frame(job);
        case Job::Kind::stop:
            return finish_video(job.time);
        case Job::Kind::screenshot:
            break;
    }
    const std::filesystem::path file = new_file(".png");
    write_picture(file, cv::Mat(int(job.height), int(job.width), CV_8UC3,
                                const_cast<uint8_t*>(job.pixels.data())));
    const std::scoped_lock lock(mutex_);
    news_ = "saved " + file.filename().string();
}

void Recorder::add_frame(const Job& job) {
    const Size size{job.width, job.height};
    if (video_ && size != video_size_) finish_video(job.time);
    if (!video_) {
        video_ = std::make_unique<VideoWriter>(new_file(".mp4"), even(size), VideoClock(rate_));
        video_start_ = job.time;
        video_size_ = size;
        held_.clear();
    }
    show_until(job.time);
    held_ = job.pixels;
}

// The file has a constant frame rate, while frames arrive at any rate: repeats the current frame.
void Recorder::show_until(double time) {
    const auto due = static_cast<uint64_t>(std::llround((time - video_start_) * rate_));
    const Size size = even(video_size_);
    while (!held_.empty() && video_->frames() < due)
        video_->write(PictureView{held_.data(), size.x, size.y, 3 * video_size_.x, true});
}

void Recorder::finish_video(double time) {
    if (!video_) return;
    show_until(std::max(time, video_start_ + (double(video_->frames()) + 1) / rate_));
    video_->finish();
    const std::string name = video_->path().filename().string();
    video_.reset();
    const std::scoped_lock lock(mutex_);
    news_ = "saved " + name;
}

std::filesystem::path Recorder::new_file(const char* ending) const {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    char when[64];
    std::strftime(when, sizeof when, "-%Y%m%d-%H%M%S", &local);
    std::filesystem::path path;
    for (int i = 1; path.empty() || std::filesystem::exists(path); ++i)
        path = folder_ / (name_ + when + (i > 1 ? "-" + std::to_string(i) : "") + ending);
    return path;
}

}  // namespace saccade
