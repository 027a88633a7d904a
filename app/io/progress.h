#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

namespace saccade {

// How far a long job is, on stderr: a bar that is drawn over on a terminal, a plain line now and
// then elsewhere.
class Progress {
public:
    // `total` steps, 0 where nobody knows. A quiet one says nothing.
    Progress(std::string what, uint64_t total, bool quiet);
    ~Progress() { end(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // What is being done from now on, of the same job.
    void turn_to(std::string what) { what_ = std::move(what); }
    void step();
    // So many steps will not be taken after all.
    void leave_out(uint64_t steps) { total_ -= std::min(steps, steps_left()); }
    uint64_t steps_left() const { return total_ - std::min(done_, total_); }
    // Clears the bar away; other output may follow.
    void end();

    // "12 of 150, 4.1 fps, 34 s left"
    std::string text() const;

private:
    using Clock = std::chrono::steady_clock;

    void show();

    std::string what_;
    uint64_t total_, done_ = 0;
    bool shown_, terminal_, open_ = false;
    Clock::time_point start_, last_;
};

}  // namespace saccade
