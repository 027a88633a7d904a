#pragma once

#include <optional>

#include "gpu/core/geometry.h"

namespace saccade {

// What comes out from behind something, and goes on, has passed behind it: the way on which nobody
// has seen it.
class HiddenWay {
public:
    // It is seen for the first time, and something is before it.
    void begin(const Rectangle& box, const Rectangle& before, double time);
    // Where it was when it went behind that, as soon as its speed is known; said once. Its way is
    // followed back, for `seconds` at most and not beyond the picture. Nothing if it hardly moves,
    // or does not come from there.
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
