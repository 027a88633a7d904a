#pragma once

#include <optional>

#include "gpu/core/geometry.h"

namespace saccade {

// The path that an object took behind an occluder, extrapolated from how it moves after it appears.
class OccludedPath {
public:
    // The object is seen for the first time; `before` is the occluder's box.
    void begin(const Rectangle& box, const Rectangle& before, double time);
    // The box that the object had when it went behind the occluder; returned once, as soon as its
    // speed is known. The path goes back `seconds` at most, and not beyond the picture. Nothing if
    // the object hardly moves, or does not come from the occluder.
    std::optional<Rectangle> came_from(const Rectangle& now, double time, double seconds,
                                       Size picture);

private:
    struct Start {
        Rectangle box, before;
        double time;
    };
    std::optional<Start> start_;
};

}  // namespace saccade
