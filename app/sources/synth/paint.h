#pragma once

#include <cstdint>
#include <vector>

#include "app/frame/source.h"
#include "app/sources/synth/backdrop.h"
#include "app/sources/synth/painters.h"

// Renders a view to the pixels of a frame; pixels are computed in integers.

namespace saccade {

// Paints the backdrop as the camera sees it onto these rows of the canvas.
void paint_backdrop(Texture& canvas, Rows rows, const Texture& backdrop,
                    const glm::dmat3& to_backdrop);

// Paints an object onto the canvas: its shadow, its card, the emoji. Borrows the sprite.
class EmojiPainter {
public:
    EmojiPainter(const PlacedEmoji& object, const EmojiSprite& sprite, Size canvas);
    void paint(Texture& canvas, Rows rows) const;

private:
    struct Stretch;
    static constexpr int coarse_level = EmojiSprite::levels - 1;  // for the shadow

    void find(Stretch& places, int first, int y) const;
    void paint_card(uint32_t* row, const Stretch& places, int count) const;
    void paint_shadow(uint32_t* row, const Stretch& places, int count) const;
    void paint_sprite(uint32_t* row, const Stretch& places, int count) const;

    const EmojiSprite& sprite_;
    int level_ = 0;
    int left_, top_, right_, bottom_;  // its bounds on the canvas
    glm::mat3 to_cell_;
    uint32_t card_colour_, shade_;
    std::array<int, 3> tint_;
    float card_, edge_;
    glm::vec2 shadow_;
};

// Simulates a camera's sensor: applies light and noise, and writes the frame's memory.
class Sensor {
public:
    Sensor();
    // Call it before expose(); `frame` chooses the noise.
    void set(const Light& light, uint64_t frame, Size size);
    void expose(const Texture& canvas, Rows rows, const Slot& slot) const;

private:
    // The light is a product of a column's and a row's factor: the factor at i of `count`, where
    // 256 is 1.
    int along(int i, int count, int slope) const;

    std::vector<int8_t> noise_;
    Light light_;
    uint64_t frame_ = 0;
    std::vector<uint16_t> columns_;  // light of each column and channel
};

}  // namespace saccade
