#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "app/live/input.h"
#include "app/live/state/session.h"
#include "app/track/regions.h"

namespace saccade {

// Draws lines and zones with the mouse: clicks set points, Enter or a double click ends. Two points
// are a line, more are a zone. Points can be dragged; Delete takes back the last point, or removes
// the line or zone that was touched last. A line or zone counts once it is finished.
class RegionEditor {
public:
    using Clock = std::chrono::steady_clock;

    // Handles an event while lines and zones are drawn. True if it was one for the editor.
    bool take(const WindowEvent& event, const LiveScene& scene, Session& session,
              Clock::time_point now = Clock::now());
    // Drops what is being drawn or dragged.
    void leave();

    // The points of the unfinished line or zone, in pixels of the picture, and the mouse.
    const std::vector<glm::vec2>& sketch() const { return sketch_; }
    std::optional<glm::vec2> mouse() const { return mouse_; }
    // The one that was touched last, and all of them with a point that is being dragged.
    std::optional<size_t> chosen() const { return chosen_; }
    Regions shown(const Wishes& wishes, Size picture) const;

private:
    struct Corner {
        size_t region, corner;
    };

    void press(glm::vec2 place, const LiveScene& scene, Wishes& wishes, Clock::time_point now);
    void finish(Size picture, Wishes& wishes);
    void take_back(Wishes& wishes);
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
