#pragma once

#include <cstdint>
#include <optional>

#include "gpu/core/tensor.h"
#include "gpu/recorder/commands.h"
#include "models/picture/preprocessor.h"

namespace saccade {

// The position of a map over the frame: cell (x, y) of the grid begins at pixel corner + (x, y) *
// cell. Cells at the edge may reach beyond the frame.
struct MapGeometry {
    Size grid;
    glm::vec2 corner;               // of the first cell
    glm::vec2 cell = glm::vec2(1);  // width and height of a cell

    struct Cell {
        uint32_t row = 0, column = 0;
    };
    // The cell that contains a pixel, or else the nearest cell.
    Cell cell_at(glm::vec2 point) const;
};

// Which tokens of attention are cells of the picture, and which are the queries of the output:
// object queries, a class token.
struct TokenLayout {
    Size grid;                // of the cells, row by row
    uint32_t first_cell = 0;  // token of the first cell
    bool cross = false;  // queries have cross-attention in a decoder; else they are tokens, too
    uint32_t first_query = 0;
    // Pixels of the model's input that a cell covers; the first cell begins at (origin, origin).
    glm::vec2 cell{1};
    float origin = 0;
};
MapGeometry geometry_of(const PreprocessPlan& plan, const TokenLayout& tokens);

// The token of the cell that contains a pixel of the frame.
uint32_t token_at(const TokenLayout& tokens, const MapGeometry& geometry, glm::vec2 point);

// Which attention to show: a layer that a tap has kept, and one head or the mean of all heads.
struct Look {
    uint32_t layer = 0;
    std::optional<uint32_t> head = std::nullopt;
};

// The part of an attention row (1, 1, keys) f32 that is a grid and begins at key `first`: (1,
// height, width) f32, valid until the scope ends.
Tensor cells_of(Commands& c, const Tensor& row, Size grid, uint32_t first);
inline Tensor cells_of(Commands& c, const Tensor& row, const TokenLayout& tokens) {
    return cells_of(c, row, tokens.grid, tokens.first_cell);
}
// The same for a column of a table (1, tokens, columns) f32.
Tensor cells_of_column(Commands& c, const Tensor& table, uint32_t column,
                       const TokenLayout& tokens);

}  // namespace saccade
