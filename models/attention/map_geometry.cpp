#include "models/attention/map_geometry.h"

#include <glm/common.hpp>

#include "gpu/core/error.h"
#include "gpu/ops/elementwise.h"

namespace saccade {

MapGeometry::Cell MapGeometry::cell_at(glm::vec2 point) const {
    const glm::vec2 last(grid - 1u);
    const Size found(glm::clamp(glm::floor((point - corner) / cell), glm::vec2(0), last));
    return {.row = found.y, .column = found.x};
}

MapGeometry geometry_of(const PreprocessPlan& plan, const TokenLayout& tokens) {
    // Pixels of the frame per pixel of the model's input.
    const glm::vec2 scale = glm::vec2(plan.source_width, plan.source_height) /
                            glm::vec2(plan.resized_width, plan.resized_height);
    return {.grid = tokens.grid,
            .corner = (tokens.origin + glm::vec2(plan.crop_left, plan.crop_top)) * scale,
            .cell = tokens.cell * scale};
}

uint32_t token_at(const TokenLayout& tokens, const MapGeometry& geometry, glm::vec2 point) {
    const auto [row, column] = geometry.cell_at(point);
    return tokens.first_cell + row * tokens.grid.x + column;
}

Tensor cells_of(Commands& c, const Tensor& row, Size grid, uint32_t first) {
    if (row.columns < first + area(grid)) throw Error("the tap has a picture of another size");
    const uint32_t width = grid.x, height = grid.y;
    const Tensor map = c.scratch(1, height, width, Type::f32);
    copy_strided(c, map, {{1, 1, height, padded(width)}, {0, 0, map.row_stride, 1}, map.offset},
                 row, Stored::f32, {{1, 1, height, width}, {0, 0, width, 1}, row.offset + first});
    return map;
}

Tensor cells_of_column(Commands& c, const Tensor& table, uint32_t column,
                       const TokenLayout& tokens) {
    const uint32_t width = tokens.grid.x, height = tokens.grid.y;
    if (!table || column >= table.columns || tokens.first_cell + width * height > table.rows)
        throw Error("there is no column " + std::to_string(column) + " to make a map of");
    const Tensor map = c.scratch(1, height, width, Type::f32);
    const uint32_t step = table.row_stride;
    copy_strided(c, map, {{1, 1, height, padded(width)}, {0, 0, map.row_stride, 1}, map.offset},
                 table, Stored::f32,
                 {{1, 1, height, width},
                  {0, 0, width * step, step},
                  table.offset + tokens.first_cell * step + column});
    return map;
}

}  // namespace saccade
