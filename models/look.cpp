#include "models/look.h"

#include <algorithm>
#include <cmath>

#include "gpu/error.h"

namespace saccade {

MapGeometry::Cell MapGeometry::cell_at(float x, float y) const {
    auto cell = [](float offset, float size, uint32_t count) {
        const float last = static_cast<float>(count - 1);
        return static_cast<uint32_t>(std::clamp(std::floor(offset / size), 0.0f, last));
    };
    return {cell(y - top, cell_height, grid.height), cell(x - left, cell_width, grid.width)};
}

MapGeometry geometry_of(const PreprocessPlan& plan, Extent grid, float width, float height,
                        float origin) {
    // Pixels of the frame that one of the model's input takes.
    const float across =
        static_cast<float>(plan.source_width) / static_cast<float>(plan.resized_width);
    const float down =
        static_cast<float>(plan.source_height) / static_cast<float>(plan.resized_height);
    return {.grid = grid,
            .left = (origin + static_cast<float>(plan.crop_left)) * across,
            .top = (origin + static_cast<float>(plan.crop_top)) * down,
            .cell_width = width * across,
            .cell_height = height * down};
}

Tensor cells_of(Commands& c, const Tensor& row, Extent grid, uint32_t first) {
    if (row.columns < first + grid.area())
        throw Error("the tap has kept a picture of another size");
    const auto [height, width] = grid;
    const Tensor map = c.scratch(1, height, width, Type::f32);
    copy_strided(c, map, {{1, 1, height, padded(width)}, {0, 0, map.row_stride, 1}, map.offset},
                 row, Stored::f32, {{1, 1, height, width}, {0, 0, width, 1}, row.offset + first});
    return map;
}

}  // namespace saccade
