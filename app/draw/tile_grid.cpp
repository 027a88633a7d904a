#include "app/draw/tile_grid.h"

#include <algorithm>

#include "gpu/core/error.h"

namespace saccade {

namespace {

Rectangle rectangle(Size min, Size max) { return {glm::vec2(min), glm::vec2(max)}; }

}  // namespace

TileGrid::TileGrid(Size image, uint32_t count, uint32_t gap, Size picture)
    : image_(image), picture_(picture), count_(count) {
    while (tiles_.across * tiles_.across < count) ++tiles_.across;
    tiles_.pitch_x = image.x / tiles_.across;
    tiles_.pitch_y = image.y / tiles_.across;
    if (std::min(tiles_.pitch_x, tiles_.pitch_y) <= gap)
        throw Error(std::to_string(count) + " maps do not fit into a frame of " +
                    std::to_string(image.x) + "x" + std::to_string(image.y));
    size_ = {tiles_.pitch_x - gap, tiles_.pitch_y - gap};
    down_ = (count + tiles_.across - 1) / tiles_.across;
    tiles_.top = (image.y - down_ * tiles_.pitch_y) / 2;
}

Rectangle TileGrid::tile(uint32_t index) const {
    const Size corner{index % tiles_.across * tiles_.pitch_x,
                      tiles_.top + index / tiles_.across * tiles_.pitch_y};
    return rectangle(corner, corner + size_);
}

std::optional<glm::vec2> TileGrid::shown_at(glm::vec2 point) const {
    const glm::vec2 picture(picture_), at = point * glm::vec2(image_) / picture;
    for (uint32_t i = 0; i < count_; ++i) {
        const Rectangle place = tile(i);
        if (place.contains(at)) return (at - place.min) / place.size() * picture;
    }
    return std::nullopt;
}

std::vector<Rectangle> TileGrid::around() const {
    std::vector<Rectangle> rest = {rectangle({0, 0}, {image_.x, tiles_.top})};
    for (uint32_t row = 0; row < down_; ++row) {
        const uint32_t begin = tiles_.top + row * tiles_.pitch_y;
        const uint32_t end = row + 1 == down_ ? image_.y : begin + tiles_.pitch_y;
        rest.push_back(rectangle({0, begin + size_.y}, {image_.x, end}));
    }
    for (uint32_t column = 0; column < tiles_.across; ++column) {
        const uint32_t begin = column * tiles_.pitch_x;
        const uint32_t end = column + 1 == tiles_.across ? image_.x : begin + tiles_.pitch_x;
        rest.push_back(rectangle({begin + size_.x, tiles_.top}, {end, image_.y}));
    }
    if (const uint32_t used = count_ % tiles_.across)
        rest.push_back(
            rectangle({used * tiles_.pitch_x, tiles_.top + (down_ - 1) * tiles_.pitch_y}, image_));
    return rest;
}

}  // namespace saccade
