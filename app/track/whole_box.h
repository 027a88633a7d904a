#pragma once

#include <glm/vec2.hpp>
#include <optional>

#include "gpu/core/geometry.h"

namespace saccade {

// Whether a box ends where the picture does, at either end of an axis.
struct AtEdge {
    bool low, high;
};
AtEdge at_edge(const Rectangle& box, int axis, Size picture);

// A detector's box holds what can be seen. When something comes before a thing, or it leaves the
// picture, its box shrinks from one side, and its middle seems to move. This is where the whole
// thing is: nothing shrinks that fast, and the side that has come in by more than the thing moves
// is the one that is hidden; or it is the one at the picture's edge.
class WholeBox {
public:
    // The next frame in which it is seen; nothing where too little is seen to tell.
    std::optional<Rectangle> see(const Rectangle& box, double time, Size picture);

private:
    void complete(int axis, Rectangle& box, float seconds, Size picture) const;

    std::optional<double> time_;                // when it was seen last
    glm::vec2 size_{0}, middle_{0}, speed_{0};  // of the whole, as they were then
};

}  // namespace saccade
