#pragma once

#include <glm/vec2.hpp>
#include <optional>

#include "gpu/core/geometry.h"

namespace saccade {

// Whether a box touches the picture's edge, at either end of an axis.
struct AtEdge {
    bool low, high;
};
AtEdge at_edge(const Rectangle& box, int axis, Size picture);

// The box of a whole object, of which a detector may see only a part (amodal completion). When an
// object is occluded or leaves the picture, its box shrinks from one side, and its centre seems to
// move. No object shrinks that fast, so the hidden side is the one that moved inwards by more than
// the object moves, or the one at the picture's edge.
class AmodalBox {
public:
    // The whole box in the next frame with a detection; nothing if too little of it is visible.
    std::optional<Rectangle> see(const Rectangle& box, double time, Size picture);

private:
    void complete(int axis, Rectangle& box, float seconds, Size picture) const;

    std::optional<double> time_;                // of the last detection
    glm::vec2 size_{0}, middle_{0}, speed_{0};  // of the whole box, at that time
};

}  // namespace saccade
