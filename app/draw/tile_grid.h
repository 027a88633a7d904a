#pragma once

#include <optional>
#include <vector>

#include "app/draw/text_layout.h"
#include "gpu/ops/draw.h"
#include "models/picture/preprocessor.h"

namespace saccade {

// How several maps share a frame: as tiles with its proportions, as many down as across where there
// are enough of them, in the middle. One that is not filled stays at the end of the last row.
class TileGrid {
public:
    TileGrid(Size frame, uint32_t count, uint32_t gap);

    uint32_t count() const { return count_; }
    Size tile_size() const { return size_; }
    const HeatTiles& tiles() const { return tiles_; }
    Rectangle tile(uint32_t index) const;
    // What point of the frame a tile's small copy shows at this one; nothing beside the tiles.
    std::optional<glm::vec2> shown_at(glm::vec2 point) const;
    // What of the frame no tile covers.
    std::vector<Rectangle> around() const;

private:
    Size frame_, size_;
    uint32_t count_, down_ = 0;
    HeatTiles tiles_;
};

}  // namespace saccade
