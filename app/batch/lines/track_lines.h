#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "app/track/frame_tracker.h"

namespace saccade {

// Assigns tracks to the detections of a FRAMES.jsonl, in the order of its lines. Before, the lines
// hold all observations, weak ones too; afterwards they are what a run that tracks directly would
// have written, byte for byte. `names` maps a line's "source" to its index.
void track_lines(const std::filesystem::path& lines, const std::map<std::string, size_t>& names,
                 const TrackerSettings& settings, const std::optional<Regions>& regions,
                 const std::function<Observations(size_t source, uint64_t frame)>& observed);

}  // namespace saccade
