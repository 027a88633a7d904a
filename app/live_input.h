#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "app/live_state.h"
#include "app/tile_grid.h"
#include "app/window/window.h"
#include "models/detector.h"

namespace saccade {

// What a person points at: the picture as it is on screen.
struct LiveScene {
    Extent picture;
    Placement place;                    // of the picture in the window
    std::vector<Detection> detections;  // whose boxes are shown
    std::optional<TileGrid> tiles;      // small copies of the picture are shown instead of it
    // The word of the caption that lies under a pixel of the picture.
    std::function<std::optional<size_t>(float x, float y)> word_at;
};

// A pixel of the window as one of what is shown in the picture's place; nothing beside it.
std::optional<PicturePoint> point_in_picture(const LiveScene& scene, float x, float y);

// The query of the box under a point; of several, the smallest one's, which the others cannot be
// clicked through.
std::optional<uint32_t> query_at(const LiveScene& scene, PicturePoint point);

// Who gets what a person does: a panel under the mouse, or a text that is being typed, come first.
struct PanelFocus {
    bool mouse = false, keyboard = false;
};
void apply_event(LiveState& state, const WindowEvent& event, const LiveScene& scene,
                 PanelFocus panels);

}  // namespace saccade
