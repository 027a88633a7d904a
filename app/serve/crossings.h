#pragma once

#include <string>
#include <vector>

#include "app/frame/frame_result.h"

namespace saccade {

// Tracks that crossed a line, or entered or left a zone, in this frame: lines of events.jsonl.
// `source` is its name for viewers.
std::vector<std::string> crossings_in(const FrameResult& result, const ResultLabels& labels,
                                      const std::string& source);

}  // namespace saccade
