#pragma once

#include <string>
#include <vector>

#include "app/frame/frame_result.h"

namespace saccade {

// What has crossed lines and zones in this frame, as events.jsonl spells it. `source` is what
// viewers know the source by.
std::vector<std::string> crossings_in(const FrameResult& result, const ResultLabels& labels,
                                      const std::string& source);

}  // namespace saccade
