#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/frame/source.h"
#include "app/sources/synth/geometry.h"

// The 64 emoji that the bundled models know: their names, their sprites, and the captions of
// scenes.

namespace saccade {

inline constexpr uint32_t emoji_count = 64;

// "red apple"; the id is the models' class id.
const char* emoji_name(uint32_t id);

// The correct caption: objects from left to right, those of one kind together ("two dogs, a bee and
// an owl"), two of different kinds by their relative position ("a cat above a key").
std::string emoji_caption(const std::vector<TrueObject>& objects, Size frame);

// An emoji as mip levels of (side + 2) x (side + 2) pixels with a transparent border. 0xAARRGGBB,
// premultiplied alpha.
struct EmojiSprite {
    static constexpr int levels = 4, side = 128;
    std::vector<uint32_t> pixels[levels];

    // The corners of the outermost pixels of each row, in -1 .. 1 of the cell.
    std::vector<glm::dvec2> outline;
    static constexpr int side_of(int level) { return side >> level; }
};

// All emoji, by id.
std::vector<EmojiSprite> load_emoji_sprites();

}  // namespace saccade
