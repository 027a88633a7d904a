#include "app/live/wall/wall_grid.h"

#include <algorithm>

namespace saccade {

std::vector<WindowTile> wall_grid(size_t count, Size room) {
    constexpr double shape = 16.0 / 9;
    constexpr uint32_t gap = 4;
    const auto all = static_cast<uint32_t>(count);
    uint32_t columns = 1;
    double best = 0;
    for (uint32_t across = 1; across <= all; ++across) {
        const uint32_t down = (all + across - 1) / across;
        const double width = std::min(double(room.x) / across, shape * room.y / down);
        if (width > best) best = width, columns = across;
    }
    const uint32_t rows = all > 0 ? (all + columns - 1) / columns : 1;
    const Size cell(room.x / std::max(columns, 1u), room.y / rows);
    const Size size(cell.x > 2 * gap ? cell.x - gap : cell.x,
                    cell.y > 2 * gap ? cell.y - gap : cell.y);
    std::vector<WindowTile> tiles;
    for (uint32_t i = 0; i < all; ++i) {
        const uint32_t row = i / columns, in_row = std::min(columns, all - row * columns);
        const uint32_t left = (room.x - in_row * cell.x) / 2 + (i % columns) * cell.x;
        const uint32_t top = (room.y - rows * cell.y) / 2 + row * cell.y;
        tiles.push_back(
            {.corner = Size(left, top) + (cell - size) / 2u, .size = size, .all = room});
    }
    return tiles;
}

}  // namespace saccade
