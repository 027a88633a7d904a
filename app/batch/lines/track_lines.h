#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "app/track/frame_tracker.h"

namespace saccade {

// Gives the detections of a FRAMES.jsonl their tracks, in the order of its lines. Its lines hold all
// that was observed; what remains are those of a run that has tracked while it saw, to the byte.
// `names` says which source a line's "source" belongs to.
void track_lines(
    const std::filesystem::path& lines, const std::map<std::string, size_t>& names,
    const TrackerSettings& settings, const std::optional<Regions>& regions,
    const std::function<Observations(size_t source, uint64_t frame)>& observed);

}  // namespace saccade
