#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace saccade {

// A thread pool that starts tasks in the order in which they are submitted.
class Workers {
public:
    explicit Workers(size_t threads);
    // Waits for tasks that have started, and drops the others.
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    // The task must not throw.
    void submit(std::function<void()> task);

private:
    void run(std::stop_token stop);

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<std::function<void()>> tasks_;
    std::vector<std::jthread> threads_;
};

}  // namespace saccade
