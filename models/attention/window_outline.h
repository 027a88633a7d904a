#pragma once

#include <optional>

#include "models/attention/map_geometry.h"
#include "models/attention/tap.h"

// What a cell can see at all, in layers where it looks in a window only.

namespace saccade {

// Some cells of a map, from the first to behind the last.
struct CellRange {
    Size from, to;
};
// Those in the window of one. A window that a shift has brought to the edge of the map holds cells
// from both ends of it, which do not see each other.
CellRange cells_in_window(const Windows& windows, MapGeometry::Cell of);

// The same in pixels of the frame, of the cell at a point; none in layers where all is seen.
std::optional<Rectangle> window_at(const AttentionLayer& layer, const MapGeometry& geometry,
                                   glm::vec2 point);

}  // namespace saccade
