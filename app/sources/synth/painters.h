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

// Threads that paint one picture together. They live as long as this object and sleep between two
// pictures.
class Painters {
public:
    // This many threads, the caller's among them; 0: as many as the machine has cores.
    explicit Painters(unsigned count = 0);

    // Calls paint(Rows) for bands that together are all rows, on several threads at the same time,
    // and returns when all are painted. What a pixel becomes must not depend on where a band ends,
    // and `paint` must not throw.
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
    int next_ = 0;                       // the first that nobody has taken
    int unfinished_ = 0;                 // rows, taken or not
    std::vector<std::jthread> threads_;  // last: they use the others
};

}  // namespace saccade
