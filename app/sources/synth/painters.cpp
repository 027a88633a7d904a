#include "app/sources/synth/painters.h"

#include <algorithm>
#include <system_error>

namespace saccade {

namespace {

// Small, so that no thread waits long for the last band of another.
constexpr int band_rows = 16;
constexpr unsigned most_threads = 16;

}  // namespace

Painters::Painters(unsigned count) {
    if (count == 0) count = std::thread::hardware_concurrency();
    count = std::min(count, most_threads);
    try {
        for (unsigned i = 1; i < count; ++i)
            threads_.emplace_back([this](std::stop_token stop) { run(stop); });
    } catch (const std::system_error&) {
        // The system has no more threads; those that started do the work.
    }
}

void Painters::share(int rows, const PaintRows& paint) {
    if (threads_.empty()) {
        for (int first = 0; first < rows; first += band_rows)
            paint({first, std::min(first + band_rows, rows)});
        return;
    }
    std::unique_lock lock(mutex_);
    paint_ = &paint;
    rows_ = unfinished_ = rows;
    next_ = 0;
    begun_.notify_all();
    paint_bands(lock);
    finished_.wait(lock, [this] { return unfinished_ == 0; });
}

void Painters::paint_bands(std::unique_lock<std::mutex>& lock) {
    while (next_ < rows_) {
        const Rows band{next_, std::min(next_ + band_rows, rows_)};
        const PaintRows& paint = *paint_;
        next_ = band.end;
        lock.unlock();
        paint(band);
        lock.lock();
        unfinished_ -= band.end - band.first;
    }
}

void Painters::run(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    while (begun_.wait(lock, stop, [this] { return next_ < rows_; })) {
        paint_bands(lock);
        if (unfinished_ == 0) finished_.notify_one();
    }
}

}  // namespace saccade
