#include "models/attention/window_outline.h"

#include <algorithm>

namespace saccade {

namespace {

struct Stretch {
    uint32_t from, to;
};
// Along one axis of a map of `length` cells, which is shifted and padded to whole windows.
Stretch stretch_around(uint32_t cell, uint32_t length, uint32_t window, uint32_t shift) {
    const uint32_t all = (length + window - 1) / window * window;
    const uint32_t shifted = (cell + all - shift) % all;
    const uint32_t first = shifted / window * window + shift;
    if (first + window <= all) return {first, std::min(first + window, length)};
    // The last window wraps around the edge.
    return cell < shift ? Stretch{0, std::min(shift, length)} : Stretch{first, length};
}

}  // namespace

CellRange cells_in_window(const Windows& windows, MapGeometry::Cell of) {
    const Stretch x = stretch_around(of.column, windows.map.x, windows.window, windows.shift);
    const Stretch y = stretch_around(of.row, windows.map.y, windows.window, windows.shift);
    return {{x.from, y.from}, {x.to, y.to}};
}

std::optional<Rectangle> window_at(const AttentionLayer& layer, const MapGeometry& geometry,
                                   glm::vec2 point) {
    if (!layer.windows) return std::nullopt;
    const CellRange window = cells_in_window(*layer.windows, geometry.cell_at(point));
    return Rectangle{geometry.corner + glm::vec2(window.from) * geometry.cell,
                     geometry.corner + glm::vec2(window.to) * geometry.cell};
}

}  // namespace saccade
