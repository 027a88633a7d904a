#include "app/tile_grid.h"

#include <algorithm>

#include "gpu/error.h"

namespace saccade {

namespace {

Rectangle rectangle(uint32_t left, uint32_t top, uint32_t right, uint32_t bottom) {
    return {static_cast<float>(left), static_cast<float>(top), static_cast<float>(right),
            static_cast<float>(bottom)};
}

}  // namespace

TileGrid::TileGrid(ImageSize frame, uint32_t count, uint32_t gap) : frame_(frame), count_(count) {
    while (tiles_.across * tiles_.across < count) ++tiles_.across;
    tiles_.pitch_x = frame.width / tiles_.across;
    tiles_.pitch_y = frame.height / tiles_.across;
    if (std::min(tiles_.pitch_x, tiles_.pitch_y) <= gap)
        throw Error(std::to_string(count) + " maps do not fit into a frame of " +
                    std::to_string(frame.width) + "x" + std::to_string(frame.height));
    size_ = {tiles_.pitch_x - gap, tiles_.pitch_y - gap};
    down_ = (count + tiles_.across - 1) / tiles_.across;
    tiles_.top = (frame.height - down_ * tiles_.pitch_y) / 2;
}

Rectangle TileGrid::tile(uint32_t index) const {
    const uint32_t x = index % tiles_.across * tiles_.pitch_x;
    const uint32_t y = tiles_.top + index / tiles_.across * tiles_.pitch_y;
    return rectangle(x, y, x + size_.width, y + size_.height);
}

std::optional<TileGrid::Point> TileGrid::shown_at(float x, float y) const {
    for (uint32_t i = 0; i < count_; ++i) {
        const Rectangle place = tile(i);
        if (place.contains(x, y))
            return Point{
                (x - place.left) / (place.right - place.left) * static_cast<float>(frame_.width),
                (y - place.top) / (place.bottom - place.top) * static_cast<float>(frame_.height)};
    }
    return std::nullopt;
}

std::vector<Rectangle> TileGrid::around() const {
    std::vector<Rectangle> rest = {rectangle(0, 0, frame_.width, tiles_.top)};
    for (uint32_t row = 0; row < down_; ++row) {
        const uint32_t begin = tiles_.top + row * tiles_.pitch_y;
        const uint32_t end = row + 1 == down_ ? frame_.height : begin + tiles_.pitch_y;
        rest.push_back(rectangle(0, begin + size_.height, frame_.width, end));
    }
    for (uint32_t column = 0; column < tiles_.across; ++column) {
        const uint32_t begin = column * tiles_.pitch_x;
        const uint32_t end = column + 1 == tiles_.across ? frame_.width : begin + tiles_.pitch_x;
        rest.push_back(rectangle(begin + size_.width, tiles_.top, end, frame_.height));
    }
    if (const uint32_t used = count_ % tiles_.across)
        rest.push_back(rectangle(used * tiles_.pitch_x, tiles_.top + (down_ - 1) * tiles_.pitch_y,
                                 frame_.width, frame_.height));
    return rest;
}

}  // namespace saccade
