#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace saccade {

// Threads that take tasks in the order in which they were given.
class Workers {
public:
    explicit Workers(size_t threads);
    // Waits for tasks that have begun, and forgets the others.
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    // The task must not throw.
    void give(std::function<void()> task);

private:
    void run(std::stop_token stop);

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<std::function<void()>> tasks_;
    std::vector<std::jthread> threads_;
};

}  // namespace saccade
