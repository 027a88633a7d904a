#pragma once

#include "app/live/view/view.h"

namespace saccade {

// Several sources side by side: their names, why one gives no picture and since when, and which one
// is chosen.
void draw_wall(const ViewInput& in);
// Height of the line with a source's name.
float name_bar();

// Where a tile lies in the window, and the picture in it, in pixels.
Rectangle place_of(const LiveView& view, size_t tile);
Placement picture_in(const LiveView& view, size_t tile);

}  // namespace saccade
