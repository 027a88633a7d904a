#include "models/knock_outs/token_cells.h"

#include <algorithm>

namespace saccade {

TokenCells::TokenCells(const TokenLayout& tokens, uint32_t most)
    : tokens_(tokens), side_((std::max(tokens.grid.x, tokens.grid.y) + most - 1) / most) {}

MapGeometry TokenCells::geometry(const PreprocessPlan& plan) const {
    TokenLayout cells = tokens_;
    cells.grid = grid();
    cells.cell = tokens_.cell * static_cast<float>(side_);
    return geometry_of(plan, cells);
}

std::vector<uint32_t> TokenCells::tokens_of(std::span<const uint32_t> cells) const {
    std::vector<bool> out(tokens());
    const Size all = grid(), of = tokens_.grid;
    for (const uint32_t cell : cells) {
        const Size from = Size(cell % all.x, cell / all.x) * side_;
        for (uint32_t y = from.y; y < std::min(from.y + side_, of.y); ++y)
            for (uint32_t x = from.x; x < std::min(from.x + side_, of.x); ++x)
                out[y * of.x + x] = true;
    }
    std::vector<uint32_t> result;
    for (uint32_t i = 0; i < out.size(); ++i)
        if (out[i]) result.push_back(tokens_.first_cell + i);
    return result;
}

}  // namespace saccade
