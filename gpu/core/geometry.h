#pragma once

#include <cstdint>
#include <glm/vec2.hpp>

// Sizes and rectangles, on glm. CMakeLists.txt configures glm so that vectors are zero by default
// and convert to other types only explicitly.

namespace saccade {

using Size = glm::uvec2;  // (width, height), of a picture in pixels or of a grid in cells

constexpr uint32_t area(Size size) { return size.x * size.y; }

// From min to max, half open. Pixel i of a row reaches from i to i + 1.
struct Rectangle {
    glm::vec2 min, max;

    Rectangle() = default;
    Rectangle(glm::vec2 from, glm::vec2 to) : min(from), max(to) {}
    Rectangle(float left, float top, float right, float bottom)
        : min(left, top), max(right, bottom) {}

    glm::vec2 size() const { return max - min; }
    float area() const { return size().x * size().y; }
    glm::vec2 middle() const { return (min + max) * 0.5f; }
    bool contains(glm::vec2 point) const {
        return point.x >= min.x && point.y >= min.y && point.x < max.x && point.y < max.y;
    }
    bool operator==(const Rectangle&) const = default;
};

}  // namespace saccade
