#pragma once

#include <string>
#include <vector>

#include "app/frame/frame_result.h"

namespace saccade {

// Tracks that crossed a line, or entered or left a zone, in this frame: lines of events.jsonl.
std::vector<std::string> crossings_in(const FrameResult& result, const ResultLabels& labels);

}  // namespace saccade
