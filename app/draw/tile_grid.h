#pragma once

#include <optional>
#include <vector>

#include "app/draw/text_layout.h"
#include "gpu/ops/draw.h"
#include "models/picture/preprocessor.h"

namespace saccade {

// Lays several maps out on an image, as centred tiles of its proportions: as many rows as columns,
// or fewer rows where those suffice. Unfilled places are at the end of the last row.
class TileGrid {
public:
    // The image shows `picture`, which may have another size.
    TileGrid(Size image, uint32_t count, uint32_t gap, Size picture);
    TileGrid(Size image, uint32_t count, uint32_t gap) : TileGrid(image, count, gap, image) {}

    uint32_t count() const { return count_; }
    Size tile_size() const { return size_; }
    const HeatTiles& tiles() const { return tiles_; }
    Rectangle tile(uint32_t index) const;
    // Which point of the picture the tile at `point` shows there; empty outside the tiles. Both are
    // in pixels of the picture.
    std::optional<glm::vec2> shown_at(glm::vec2 point) const;
    // The parts of the image that no tile covers.
    std::vector<Rectangle> around() const;

private:
    Size image_, picture_, size_;
    uint32_t count_, down_ = 0;
    HeatTiles tiles_;
};

}  // namespace saccade
