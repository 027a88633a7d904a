#include "app/video/feed.h"

#include <signal.h>

#include <chrono>
#include <cstring>
#include <utility>

#include "app/video/virtual_camera.h"

namespace saccade {

namespace {

using namespace std::chrono_literals;

// How long end() waits for the last picture: there may be no reader.
constexpr auto farewell = 2s;

// Blocks SIGPIPE in this thread: write() reports a closed pipe by EPIPE instead.
void ignore_broken_pipes() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

std::unique_ptr<FeedTarget> open_target(const std::string& target, Size size,
                                        const std::stop_token& stop) {
    if (target.starts_with("/dev/video")) return std::make_unique<VirtualCamera>(target, size);
    return open_transport_stream(target, size, stop);
}

}  // namespace

Feed::Feed(std::string target) : target_(std::move(target)) {
    thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

Feed::~Feed() = default;

void Feed::show(const PictureView& bgr) {
    const std::scoped_lock lock(mutex_);
    const size_t row = size_t(bgr.width) * 3;
    newest_.width = bgr.width;
    newest_.height = bgr.height;
    newest_.bytes.resize(row * bgr.height);
    for (uint32_t y = 0; y < bgr.height; ++y)
        std::memcpy(&newest_.bytes[y * row], bgr.pixels + size_t(y) * bgr.row_bytes, row);
    fresh_ = true;
    wake_.notify_all();
}

std::optional<std::string> Feed::trouble() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(trouble_, std::nullopt);
}

std::optional<std::string> Feed::end() {
    {
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, farewell, [&] { return trouble_ || !(fresh_ || sending_); });
    }
    thread_.request_stop();
    thread_.join();
    return trouble();
}

void Feed::run(std::stop_token stop) try {
    ignore_broken_pipes();
    const auto start = std::chrono::steady_clock::now();
    std::unique_ptr<FeedTarget> target;
    Pixels shown;
    while (!stop.stop_requested()) {
        {
            std::unique_lock lock(mutex_);
            // A still picture is sent again and again, for receivers that join later.
            wake_.wait_for(lock, stop, 200ms, [&] { return fresh_; });
            sending_ = std::exchange(fresh_, false);
            if (sending_) std::swap(shown, newest_);
        }
        if (shown.bytes.empty() || stop.stop_requested()) continue;
        const PictureView view{shown.bytes.data(), shown.width, shown.height, 3 * shown.width,
                               true};
        if (!target) target = open_target(target_, even_size({view.width, view.height}), stop);
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        if (target && target->write(view, time.count()))
            began_ = true;
        else
            target.reset();
        const std::scoped_lock lock(mutex_);
        sending_ = false;
        wake_.notify_all();
    }
} catch (const std::exception& error) {
    const std::scoped_lock lock(mutex_);
    trouble_ = error.what();
    wake_.notify_all();
}

}  // namespace saccade
