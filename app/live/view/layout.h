#pragma once

#include "gpu/core/geometry.h"

namespace saccade {

// The layout of the window: its parts lie side by side and do not cover the picture. In the
// desktop's units.
struct ViewLayout {
    Rectangle panel;    // no area where it is not shown
    Rectangle picture;  // the room that is left
    Rectangle player;   // below the picture, for files; no area for other sources
    Rectangle status;   // at the lower edge, one line
};

struct LayoutOrder {
    glm::vec2 window;  // its size
    float em = 15;     // the height of letters
    bool panel = true, player = false;
};
ViewLayout lay_out(const LayoutOrder& order);

// Whether two pictures of this size are larger one below the other than side by side.
bool better_below(Size picture, glm::vec2 room);

}  // namespace saccade
