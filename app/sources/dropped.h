#pragma once

#include <span>
#include <string>
#include <vector>

namespace saccade {

// What somebody wants to see who drops these onto the window, each to be opened by itself: pictures
// belong together, as those of a folder do; of a folder, also its videos.
std::vector<std::string> sources_in(std::span<const std::string> dropped);

}  // namespace saccade
