#pragma once

#include <optional>
#include <vector>

#include "app/draw/text_layout.h"
#include "gpu/ops/draw.h"
#include "models/picture/preprocessor.h"

namespace saccade {

// How several maps share an image: as tiles with its proportions, as many down as across where
// there are enough of them, in the middle. A place that is not filled stays at the end of the last
// row.
class TileGrid {
public:
    // The image shows a picture, which may have another size.
    TileGrid(Size image, uint32_t count, uint32_t gap, Size picture);
    TileGrid(Size image, uint32_t count, uint32_t gap) : TileGrid(image, count, gap, image) {}

    uint32_t count() const { return count_; }
    Size tile_size() const { return size_; }
    const HeatTiles& tiles() const { return tiles_; }
    Rectangle tile(uint32_t index) const;
    // The point of the picture that a tile's small copy shows at a point of the picture; nothing
    // beside the tiles.
    std::optional<glm::vec2> shown_at(glm::vec2 point) const;
    // The parts of the image that no tile covers.
    std::vector<Rectangle> around() const;

private:
    Size image_, picture_, size_;
    uint32_t count_, down_ = 0;
    HeatTiles tiles_;
};

}  // namespace saccade
