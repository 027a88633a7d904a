#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/core/geometry.h"

namespace saccade {

// What somebody on the host wants to have drawn over a frame.
struct Marks {
    struct Box {
        Rectangle place;
        uint32_t colour = 0;
        std::string text;
        bool selected = false;  // stands out
    };
    struct Dot {
        glm::vec2 place;
        uint32_t colour = 0;
        float size = 1;  // in widths of a box's frame
    };
    struct Text {
        std::string text;
        glm::vec2 place;  // of its upper left corner
        uint32_t colour = 0;
    };

    std::vector<Dot> dots;    // below all else
    std::vector<Box> boxes;   // the last on top
    std::vector<Text> texts;  // above
};

}  // namespace saccade
