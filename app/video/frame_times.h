#pragma once

#include <filesystem>
#include <vector>

namespace saccade {

// When the frames of a video that come after a time are shown, in order, by its container alone:
// nothing is decoded. In seconds since the first one. Nothing where the container does not know.
std::vector<double> frame_times_after(const std::filesystem::path& path, double time);

}  // namespace saccade
