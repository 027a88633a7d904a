#include "app/live/view/layout.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>

namespace saccade {

ViewLayout lay_out(const LayoutOrder& order) {
    const float width = order.window.x, height = order.window.y;
    // A small window gives the picture more than half of its width.
    const float panel = order.panel ? std::floor(std::min(23 * order.em, 0.42f * width)) : 0;
    const float status = std::ceil(1.8f * order.em);
    const float player = order.player ? std::ceil(2.4f * order.em) : 0;
    const float below = std::max(height - status, 0.0f);
    const float bottom = std::max(below - player, 0.0f);
    return {.panel = {0, 0, panel, below},
            .picture = {panel, 0, width, bottom},
            .player = {panel, bottom, width, below},
            .status = {0, below, width, height}};
}

bool better_below(Size picture, glm::vec2 room) {
    const glm::vec2 one(glm::max(picture, Size(1)));
    const float beside = std::min(room.x / 2 / one.x, room.y / one.y);
    const float below = std::min(room.x / one.x, room.y / 2 / one.y);
    return below > beside;
}

}  // namespace saccade
