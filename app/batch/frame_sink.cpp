#include "app/batch/frame_sink.h"

#include <utility>

namespace saccade {

FrameSink::FrameSink(std::function<void(FramePipeline::Finished)> use)
    : use_(std::move(use)), thread_([this](std::stop_token stop) { run(stop); }) {}

FrameSink::~FrameSink() {
    thread_.request_stop();
    thread_.join();
}

void FrameSink::put(FramePipeline::Finished frame) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !waiting_ || error_; });
    if (error_) std::rethrow_exception(error_);
    waiting_.emplace(std::move(frame));
    changed_.notify_all();
}

void FrameSink::close() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return (!waiting_ && !busy_) || error_; });
    if (error_) std::rethrow_exception(error_);
}

void FrameSink::run(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return waiting_.has_value(); })) {
        FramePipeline::Finished frame = std::move(*waiting_);
        waiting_.reset();
        busy_ = true;
        changed_.notify_all();
        lock.unlock();
        std::exception_ptr error;
        try {
            use_(std::move(frame));
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        busy_ = false;
        if (error) error_ = error;
        changed_.notify_all();
        if (error) return;
    }
}

}  // namespace saccade
