#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/draw/marks.h"
#include "app/frame/frame_result.h"
#include "app/track/frame_tracker.h"

namespace saccade {

// The colour of a track: the same in every frame and file. 0, no track, is grey.
uint32_t track_colour(uint32_t number);

// The boxes of tracks with their numbers and trails, and lines and zones with their counts. Boxes
// without a track are grey.
Marks marks_of(const FrameResult& tracked, const FrameTracker& tracker,
               const std::vector<std::string>& labels, std::optional<uint32_t> selected_query);

// Boxes alone, in the colours of their classes.
Marks marks_of(const std::vector<Detection>& found, const std::vector<std::string>& labels,
               std::optional<uint32_t> selected_query);

}  // namespace saccade
