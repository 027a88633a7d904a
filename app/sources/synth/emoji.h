#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/frame/source.h"
#include "app/sources/synth/geometry.h"

// What the bundled models know: 64 emoji, what they are called, and how a scene of them is put into
// words.

namespace saccade {

inline constexpr uint32_t emoji_count = 64;

// "red apple"; its id is that of the models' classes.
const char* emoji_name(uint32_t id);

// What the captioner says when it is right: objects from left to right, those of a kind together
// ("two dogs, a bee and an owl"), two of different kinds by how they lie ("a cat above a key").
std::string emoji_caption(const std::vector<TrueObject>& objects, Size frame);

// One emoji as it is drawn, at half the size each level: (side + 2) x (side + 2) pixels, the
// outermost of which are transparent. 0xAARRGGBB, colours multiplied by their alpha.
struct EmojiSprite {
    static constexpr int levels = 4, side = 128;
    std::vector<uint32_t> pixels[levels];

    // Where the picture ends: corners of its outermost pixels, in -1 .. 1 of the cell.
    std::vector<glm::dvec2> outline;
    static constexpr int side_of(int level) { return side >> level; }
};

// All of them, by id.
std::vector<EmojiSprite> load_emoji_sprites();

}  // namespace saccade
