#include "app/track/occluded_path.h"

#include <cmath>
#include <glm/geometric.hpp>
#include <utility>

#include "app/frame/score.h"

namespace saccade {

namespace {

constexpr double soon = 0.25;  // seconds until the speed is known
constexpr float fast = 1;      // box sizes per second; slower motion may be jitter
constexpr float step = 0.05f;  // seconds, of the extrapolation

}  // namespace

void OccludedPath::begin(const Rectangle& box, const Rectangle& before, double time) {
    start_ = {box, before, time};
}

std::optional<Rectangle> OccludedPath::came_from(const Rectangle& now, double time, double seconds,
                                                 Size picture) {
    if (!start_ || time - start_->time < soon) return std::nullopt;
    const Start start = *std::exchange(start_, std::nullopt);
    const glm::vec2 middle = start.box.middle();
    const glm::vec2 speed = (now.middle() - middle) / static_cast<float>(time - start.time);
    if (glm::length(speed) < fast * std::sqrt(start.box.area())) return std::nullopt;
    if (glm::dot(speed, middle - start.before.middle()) <= 0) return std::nullopt;
    Rectangle from = start.box;
    for (float back = 0; back < static_cast<float>(seconds); back += step) {
        const Rectangle box{start.box.min - speed * back, start.box.max - speed * back};
        const glm::vec2 place = box.middle(), end(picture);
        const bool inside = place.x >= 0 && place.y >= 0 && place.x <= end.x && place.y <= end.y;
        if (!inside || iou(box, start.before) <= 0) break;
        from = box;
    }
    return from;
}

}  // namespace saccade
