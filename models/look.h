#pragma once

#include <cstdint>
#include <optional>

#include "gpu/ops.h"
#include "models/preprocessor.h"

namespace saccade {

// How a map of attention lies over the frame: cell (i, j) covers the pixels from (left + j *
// cell_width, top + i * cell_height) on. Cells at the edge may reach beyond the frame.
struct MapGeometry {
    Extent grid;
    float left = 0, top = 0, cell_width = 1, cell_height = 1;

    struct Cell {
        uint32_t row = 0, column = 0;
    };
    // The cell that holds a pixel, or the nearest where none does.
    Cell cell_at(float x, float y) const;
};

// Of a grid whose cells take `width` x `height` pixels of the model's input, the first of them from
// (origin, origin) on.
MapGeometry geometry_of(const PreprocessPlan& plan, Extent grid, float width, float height,
                        float origin = 0);

// What to look at in a tap that has kept it: a layer, and one head or the average of all.
struct Look {
    uint32_t layer = 0;
    std::optional<uint32_t> head = std::nullopt;
};

// Of a row of attention (1, 1, keys) f32, the cells of a grid that begin at key `first`: (1,
// height, width) f32, valid until the scope ends.
Tensor cells_of(Commands& c, const Tensor& row, Extent grid, uint32_t first);

}  // namespace saccade
