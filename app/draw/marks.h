#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/core/geometry.h"

namespace saccade {

// Boxes, dots, cells and texts that the host places on a frame, in pixels of the frame.
struct Marks {
    struct Box {
        Rectangle place;
        uint32_t colour = 0;
        std::string text;
        bool selected = false;  // highlighted
        bool operator==(const Box&) const = default;
    };
    struct Dot {
        glm::vec2 place;
        uint32_t colour = 0;
        float size = 1;  // in line widths of a box
        bool operator==(const Dot&) const = default;
    };
    // A cell of a map.
    struct Patch {
        Rectangle place;
        uint32_t colour = 0;
        bool operator==(const Patch&) const = default;
    };
    struct Text {
        std::string text;
        glm::vec2 place;  // of its upper left corner
        uint32_t colour = 0;
        bool operator==(const Text&) const = default;
    };

    std::vector<Patch> patches = {};  // below all else
    std::vector<Dot> dots;            // below boxes and texts, also those that the device lays out
    std::vector<Box> boxes;           // the last on top
    std::vector<Text> texts;          // above
    bool operator==(const Marks&) const = default;
};

}  // namespace saccade
