#pragma once

#include <optional>
#include <vector>

#include "app/draw/tile_grid.h"
#include "app/live/state.h"
#include "app/live/window/window.h"
#include "models/detector.h"

namespace saccade {

// What a person points at: the picture as it is on screen.
struct LiveScene {
    Size picture;
    Placement place;                    // of all that is shown in the window
    std::vector<Detection> detections;  // whose boxes are shown
    std::optional<TileGrid> tiles;      // small copies of the picture are shown instead of it
    // The second view of the picture, on its right or below, a little apart. Both are shown as one
    // picture.
    struct Second {
        bool below = false, bare = false;
        std::optional<TileGrid> tiles;
    };
    std::optional<Second> second;
    std::vector<Rectangle> words;  // where those of the caption lie in the picture
    bool takes_examples = false;   // a box can be drawn, to find more like what lies in it
};

// Where two views of a picture of this size lie: the second one's corner, and the size of both
// together.
struct TwoViews {
    Size corner, all;
};
TwoViews two_views(Size picture, bool below);
// Of what is shown.
Size size_of(const LiveScene& scene);

// A pixel of the window as one of what is shown in the picture's place; nothing beside it.
struct ScenePoint {
    glm::vec2 pixel;
    bool second = false;  // of the second view
};
std::optional<ScenePoint> point_in_picture(const LiveScene& scene, glm::vec2 point);

// The query of the box under a point; of several, the smallest one's, which the others cannot be
// clicked through.
std::optional<uint32_t> query_at(const LiveScene& scene, glm::vec2 point);

// Who gets what a person does: a panel under the mouse, or a text that is being typed, come first.
struct PanelFocus {
    bool mouse = false, keyboard = false;
};
void apply_event(LiveState& state, const WindowEvent& event, const LiveScene& scene,
                 PanelFocus panels);

}  // namespace saccade
