#include "app/batch/stage_totals.h"

#include <algorithm>
#include <cstdio>

namespace saccade {

void StageTotals::add(const FrameResult& result) {
    for (const auto& [stage, ms] : result.ms) {
        auto found = std::ranges::find(sums_, stage, &std::pair<std::string, double>::first);
        if (found == sums_.end()) found = sums_.insert(sums_.end(), {stage, 0});
        found->second += ms;
    }
    ++frames_;
}

std::string StageTotals::text() const {
    std::string text;
    char number[32];
    for (const auto& [stage, sum] : sums_) {
        std::snprintf(number, sizeof number, " %.1f", sum / double(std::max<uint64_t>(1, frames_)));
        text += (text.empty() ? "" : ", ") + stage + number;
    }
    return text + " ms a frame";
}

std::string StageTotals::slowest() const {
    const auto slowest =
        std::ranges::max_element(sums_, {}, &std::pair<std::string, double>::second);
    return slowest == sums_.end() ? "" : slowest->first;
}

}  // namespace saccade
