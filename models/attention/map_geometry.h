#pragma once

#include <cstdint>
#include <optional>

#include "gpu/core/tensor.h"
#include "gpu/recorder/commands.h"
#include "models/picture/preprocessor.h"

namespace saccade {

// How a map of attention lies over the frame: the cell at (x, y) of the grid covers the pixels from
// corner + (x, y) * cell on. Cells at the edge may reach beyond the frame.
struct MapGeometry {
    Size grid;
    glm::vec2 corner;               // of the first cell
    glm::vec2 cell = glm::vec2(1);  // width and height of each

    struct Cell {
        uint32_t row = 0, column = 0;
    };
    // The cell that holds a pixel, or the nearest where none does.
    Cell cell_at(glm::vec2 point) const;
};

// Which tokens of an attention map are the cells of the picture, and which ones read the answer off
// them: a detector's queries, a classifier's class token.
struct TokenLayout {
    Size grid;                // of the cells, row after row
    uint32_t first_cell = 0;  // their first token
    bool cross = false;       // queries look in a decoder; else they are tokens like the cells
    uint32_t first_query = 0;
    // Pixels of the model's input that a cell covers, the first of them from (origin, origin) on.
    glm::vec2 cell{1};
    float origin = 0;
};
MapGeometry geometry_of(const PreprocessPlan& plan, const TokenLayout& tokens);

// The token of the cell that holds a pixel of the frame.
uint32_t token_at(const TokenLayout& tokens, const MapGeometry& geometry, glm::vec2 point);

// What to look at in a tap that has kept it: a layer, and one head or the average of all.
struct Look {
    uint32_t layer = 0;
    std::optional<uint32_t> head = std::nullopt;
};

// Of a row of attention (1, 1, keys) f32, the cells of a grid that begin at key `first`: (1,
// height, width) f32, valid until the scope ends.
Tensor cells_of(Commands& c, const Tensor& row, Size grid, uint32_t first);
inline Tensor cells_of(Commands& c, const Tensor& row, const TokenLayout& tokens) {
    return cells_of(c, row, tokens.grid, tokens.first_cell);
}
// The same of a column of a table that has a row for each token, (1, tokens, columns) f32.
Tensor cells_of_column(Commands& c, const Tensor& table, uint32_t column,
                       const TokenLayout& tokens);

}  // namespace saccade
