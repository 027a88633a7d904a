#pragma once

#include <optional>
#include <vector>

#include "app/draw/tile_grid.h"
#include "app/live/state/session.h"
#include "app/live/window/window.h"
#include "models/detector.h"

namespace saccade {

// The picture as it is on screen, for the mouse to point at.
struct LiveScene {
    Size picture;
    Placement place;                    // in the window, of all views together
    std::vector<Detection> detections;  // whose boxes are shown
    std::optional<TileGrid> tiles;      // small copies of the picture are shown instead of it
    // The second view of the picture, on its right or below, a little apart. Both are shown as one
    // picture.
    struct Second {
        bool below = false, bare = false;
        std::optional<TileGrid> tiles;
    };
    std::optional<Second> second;
    std::vector<Rectangle> words;  // of the caption, in the picture
    bool takes_examples = false;   // a box can be drawn to find more like its content
};

// The layout of two views of a picture: the second one's corner, and the size of both together.
struct TwoViews {
    Size corner, all;
};
TwoViews two_views(Size picture, bool below);
// Of all views together.
Size size_of(const LiveScene& scene);

// A pixel of the window as one of the picture; none beside it.
struct ScenePoint {
    glm::vec2 pixel;
    bool second = false;  // of the second view
};
std::optional<ScenePoint> point_in_picture(const LiveScene& scene, glm::vec2 point);

// The query of the smallest box under a point: a larger one can be clicked beside it.
std::optional<uint32_t> query_at(const LiveScene& scene, glm::vec2 point);

// A panel under the mouse, or a text field that is being typed into, gets the event first.
struct PanelFocus {
    bool mouse = false, keyboard = false;
};
void apply_event(Session& session, const WindowEvent& event, const LiveScene& scene,
                 PanelFocus panels);

// Words move under a resting mouse while a caption is written, or another one comes.
void follow_words(Session& session, const LiveScene& scene);

}  // namespace saccade
