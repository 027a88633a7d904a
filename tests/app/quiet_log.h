#pragma once

#include <spdlog/spdlog.h>

namespace saccade {

// Silences the log while it lives, because other tests of the same process check theirs.
class QuietLog {
public:
    QuietLog() { spdlog::set_level(spdlog::level::off); }
    ~QuietLog() { spdlog::set_level(before_); }
    QuietLog(const QuietLog&) = delete;
    QuietLog& operator=(const QuietLog&) = delete;

private:
    const spdlog::level::level_enum before_ = spdlog::get_level();
};

}  // namespace saccade
