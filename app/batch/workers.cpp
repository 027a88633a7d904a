#include "app/batch/workers.h"

#include <utility>

namespace saccade {

Workers::Workers(size_t threads) {
    for (size_t i = 0; i < threads; ++i)
        threads_.emplace_back([this](std::stop_token stop) { run(stop); });
}

Workers::~Workers() {
    for (std::jthread& thread : threads_) thread.request_stop();
    for (std::jthread& thread : threads_) thread.join();
}

void Workers::submit(std::function<void()> task) {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_one();
}

void Workers::run(std::stop_token stop) {
    while (!stop.stop_requested()) {
        std::function<void()> task;
        {
            std::unique_lock lock(mutex_);
            if (!changed_.wait(lock, stop, [&] { return !tasks_.empty(); })) return;
            task = std::move(tasks_.front());
            tasks_.pop_front();
        }
        task();
    }
}

}  // namespace saccade
