#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace saccade {

// Rows of a picture: first .. end - 1.
struct Rows {
    int first = 0, end = 0;
};

// A thread pool that paints one picture at a time, in bands of rows.
class Painters {
public:
    // `count` threads, including the caller's; 0: one per core.
    explicit Painters(unsigned count = 0);

    // Calls paint(Rows) in parallel for bands that cover all rows, and returns when all are
    // painted. A pixel must not depend on the bands, and `paint` must not throw.
    template <typename Paint>
    void paint(int rows, const Paint& paint) {
        share(rows, std::ref(paint));
    }

private:
    using PaintRows = std::function<void(Rows)>;

    void share(int rows, const PaintRows& paint);
    void paint_bands(std::unique_lock<std::mutex>& lock);
    void run(std::stop_token stop);

    std::mutex mutex_;
    std::condition_variable_any begun_, finished_;
    const PaintRows* paint_ = nullptr;
    int rows_ = 0;                       // of the picture
    int next_ = 0;                       // the first row that no thread has taken
    int unfinished_ = 0;                 // rows, taken or not
    std::vector<std::jthread> threads_;  // last, because they use the other members
};

}  // namespace saccade
