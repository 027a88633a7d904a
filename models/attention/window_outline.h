#pragma once

#include <optional>

#include "models/attention/map_geometry.h"
#include "models/attention/tap.h"

// The cells that a cell attends to in layers with window attention.

namespace saccade {

// Cells from `from` to before `to`.
struct CellRange {
    Size from, to;
};
// The cells in the window of one cell. A shifted window at the edge of the map holds cells from
// both ends of the map, which are masked from each other.
CellRange cells_in_window(const Windows& windows, MapGeometry::Cell of);

// The same in pixels of the frame, for the cell at a point; nullopt in layers with global
// attention.
std::optional<Rectangle> window_at(const AttentionLayer& layer, const MapGeometry& geometry,
                                   glm::vec2 point);

}  // namespace saccade
