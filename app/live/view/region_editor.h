#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "app/live/input.h"
#include "app/live/state.h"
#include "app/track/regions.h"

namespace saccade {

// Lines and zones that are drawn with the mouse: clicks set points, Enter or a double click ends.
// Two points are a line, more are a zone. Points that are there can be dragged; who presses Delete
// takes back the last point, or removes what was touched last. Nothing of it counts before it is
// finished.
class RegionEditor {
public:
    using Clock = std::chrono::steady_clock;

    // What a person does while lines and zones are drawn. True where it was meant for them.
    bool take(const WindowEvent& event, const LiveScene& scene, LiveState& state,
              Clock::time_point now = Clock::now());
    // Nothing is being drawn or dragged any more.
    void leave();

    // Points of what is being drawn, in pixels of the picture, and where the mouse is.
    const std::vector<glm::vec2>& sketch() const { return sketch_; }
    std::optional<glm::vec2> mouse() const { return mouse_; }
    // What was touched last, and what is drawn with a point that is being dragged.
    std::optional<size_t> chosen() const { return chosen_; }
    Regions shown(const LiveState& state, Size picture) const;

private:
    struct Corner {
        size_t region, corner;
    };

    void press(glm::vec2 place, const LiveScene& scene, LiveState& state, Clock::time_point now);
    void finish(Size picture, LiveState& state);
    void take_back(LiveState& state);
    std::optional<Corner> corner_at(glm::vec2 place, const LiveScene& scene,
                                    const Regions& regions) const;

    std::vector<glm::vec2> sketch_;
    std::optional<glm::vec2> mouse_;
    std::optional<Corner> dragged_;
    std::optional<size_t> chosen_;
    std::optional<Clock::time_point> pressed_;  // when the last point was set
};

// The same regions, of a picture of this size.
Regions fitted(Regions regions, Size picture);

}  // namespace saccade
