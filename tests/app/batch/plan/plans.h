#pragma once

#include <optional>
#include <vector>

#include "app/batch/plan/plan.h"

namespace saccade {

// A plan of sources that have so many frames.
inline BatchPlan plan_with(const std::vector<std::optional<uint64_t>>& frames, uint64_t piece) {
    BatchPlan plan;
    plan.piece = piece;
    for (const auto& count : frames) {
        plan.sources.emplace_back();
        plan.sources.back().frames = count;
        plan.sources.back().source.name = std::to_string(plan.sources.size()) + ".mp4";
    }
    return plan;
}

}  // namespace saccade
