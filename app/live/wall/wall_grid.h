#pragma once

#include <vector>

#include "app/live/state/wishes.h"

namespace saccade {

// The tiles of so many sources in a room: as large as they can be for pictures of 16:9, the last
// row in the middle.
std::vector<WindowTile> wall_grid(size_t count, Size room);

}  // namespace saccade
