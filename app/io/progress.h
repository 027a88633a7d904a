#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

namespace saccade {

// The progress of a long job on stderr: a line that is redrawn on a terminal, plain lines
// elsewhere.
class Progress {
public:
    // `total` steps; 0 if the number is unknown. `unit`: of their rate.
    Progress(std::string what, uint64_t total, bool quiet, std::string unit = "fps");
    ~Progress() { end(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Changes the name that is shown; the count goes on.
    void turn_to(std::string what) { what_ = std::move(what); }
    void step();
    void step_to(uint64_t done);
    // The first plain line comes after one second instead of ten: for jobs that usually take less.
    void show_early();
    // Takes steps that will not be done off the total.
    void leave_out(uint64_t steps) { total_ -= std::min(steps, steps_left()); }
    uint64_t steps_left() const { return total_ - std::min(done_, total_); }
    // Clears the line, so that other output may follow.
    void end();

    // "12 of 150, 4.1 fps, 34 s left"
    std::string text() const;

private:
    using Clock = std::chrono::steady_clock;

    void show();

    std::string what_, unit_;
    uint64_t total_, done_ = 0;
    bool shown_, terminal_, open_ = false;
    Clock::time_point start_, last_;
};

}  // namespace saccade
