#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/attention/map_geometry.h"

namespace saccade {

// Cells whose tokens are left out: squares of neighbouring tokens.
class TokenCells {
public:
    // `most`: cells along the longer side.
    TokenCells(const TokenLayout& tokens, uint32_t most);

    Size grid() const { return (tokens_.grid + side_ - 1u) / side_; }
    MapGeometry geometry(const PreprocessPlan& plan) const;
    // The tokens of these cells, each once.
    std::vector<uint32_t> tokens_of(std::span<const uint32_t> cells) const;
    uint32_t tokens() const { return area(tokens_.grid); }
    // Whether there are tokens that belong to no cell and always stay.
    bool has_others() const { return tokens_.first_cell > 0; }

private:
    TokenLayout tokens_;
    uint32_t side_;
};

}  // namespace saccade
