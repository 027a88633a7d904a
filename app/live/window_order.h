#pragma once

#include "app/live/state/wishes.h"
#include "app/pipeline/frame_order.h"

namespace saccade {

// A picture in its tile.
WindowOrder tile_order(Size frame, const WindowTile& tile);

// The picture of a frame of this size for a window that has this much room for it, in pixels, with
// or without a second view.
WindowOrder window_order(Size frame, Size room, const SecondView& second);

}  // namespace saccade
