#pragma once

#include <optional>
#include <vector>

#include "app/text_layout.h"
#include "gpu/draw.h"
#include "models/preprocessor.h"

namespace saccade {

// How several maps share a frame: as tiles with its proportions, as many down as across where there
// are enough of them, in the middle. One that is not filled stays at the end of the last row.
class TileGrid {
public:
    TileGrid(ImageSize frame, uint32_t count, uint32_t gap);

    uint32_t count() const { return count_; }
    ImageSize tile_size() const { return size_; }
    const HeatTiles& tiles() const { return tiles_; }
    Rectangle tile(uint32_t index) const;
    // The point of the frame that a tile's small copy shows at (x, y); nothing beside the tiles.
    struct Point {
        float x, y;
    };
    std::optional<Point> shown_at(float x, float y) const;
    // What of the frame no tile covers.
    std::vector<Rectangle> around() const;

private:
    ImageSize frame_, size_;
    uint32_t count_, down_ = 0;
    HeatTiles tiles_;
};

}  // namespace saccade
