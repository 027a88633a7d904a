#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/draw/marks.h"
#include "app/frame/frame_result.h"
#include "app/track/frame_tracker.h"

namespace saccade {

// A track's colour is the same in every frame and file. Detections without a number are grey.
uint32_t track_colour(uint32_t number);

// Boxes with numbers and trails behind them, lines and zones with their counts. Boxes without a
// number are grey.
Marks marks_of(const FrameResult& tracked, const FrameTracker& tracker,
               const std::vector<std::string>& labels, std::optional<uint32_t> selected_query);

// Boxes alone, in the colours of their classes.
Marks marks_of(const std::vector<Detection>& found, const std::vector<std::string>& labels,
               std::optional<uint32_t> selected_query);

}  // namespace saccade
