#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace saccade {

// Auto-tuning: which of several candidates is the fastest on this device. Each question is measured
// once, and the answer is kept in a file from run to run.
class Choices {
public:
    struct Options {
        std::string file;      // empty: answers are kept in memory only
        std::string device;    // and driver; answers for another one are dropped
        bool measure = false;  // false: always the first candidate, and the file is not read
        std::function<void()> on_measuring;  // called once, before the first measurement
    };
    explicit Choices(Options options);
    ~Choices();
    Choices(const Choices&) = delete;
    Choices& operator=(const Choices&) = delete;

    bool measures() const { return options_.measure; }
    // The index of the candidate to take. The first one is the default from the tables: another one
    // has to be clearly faster. microseconds(i) measures a candidate; once the time that a run may
    // spend on tuning is used up, it is not called. Any thread may call this.
    size_t choose(const std::string& question, std::span<const std::string> candidates,
                  const std::function<double(size_t)>& microseconds);
    // Writes the file, if there are new answers.
    void save();

private:
    using Clock = std::chrono::steady_clock;

    void load();
    bool time_is_left() const { return spent_ < most_time; }

    static constexpr Clock::duration most_time = std::chrono::milliseconds(1500);
    Options options_;
    std::mutex mutex_;
    std::map<std::string, std::string> chosen_;  // by question
    Clock::duration spent_{};
    bool unsaved_ = false;
};

}  // namespace saccade
