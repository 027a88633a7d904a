#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace saccade {

// Which of several ways is the fastest on this device, where only measuring tells: measured once,
// and kept in a file from run to run.
class Choices {
public:
    struct Options {
        std::string file;      // empty: they are kept in memory only
        std::string device;    // and driver that they hold for: another's are forgotten
        bool measure = false;  // false: the first candidate is taken, whatever the file says
        std::function<void()> on_measuring;  // once, before the first measurement
    };
    explicit Choices(Options options);
    ~Choices();
    Choices(const Choices&) = delete;
    Choices& operator=(const Choices&) = delete;

    bool measures() const { return options_.measure; }
    // The place of the one to take. The first is what the tables say: another one has to be clearly
    // faster. microseconds(i) measures a candidate; it is not called once the time is up that a run
    // may spend on this. Any thread may ask.
    size_t choose(const std::string& question, std::span<const std::string> candidates,
                  const std::function<double(size_t)>& microseconds);
    // Writes what is new.
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
