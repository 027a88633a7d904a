#pragma once

#include <cstdint>
#include <vector>

#include "app/sources/source.h"
#include "app/sources/synth_backdrop.h"

// From a view to the pixels of a frame, in integers as far as pixels go.

namespace saccade {

// The backdrop as the camera sees it, over all of the canvas.
void paint_backdrop(Texture& canvas, const Texture& backdrop, const Projection& to_backdrop);

// An object over what is there: its shadow, its card, the emoji.
void paint_emoji(Texture& canvas, const PlacedEmoji& object, const EmojiSprite& sprite);

// What a sensor makes of a canvas.
class Sensor {
public:
    Sensor();
    // Light, noise and the frame's own memory; `frame` chooses the noise.
    void expose(const Texture& canvas, const Light& light, uint64_t frame, const Slot& slot);

private:
    std::vector<int8_t> noise_;
    std::vector<int> columns_;  // light of each column and channel
};

}  // namespace saccade
