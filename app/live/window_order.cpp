#include "app/live/window_order.h"

#include <algorithm>
#include <cmath>

#include "app/live/input.h"

namespace saccade {

namespace {

// Fewer pixels have no room for the maps of all heads. The window makes such a picture smaller.
constexpr double least_side = 64;

uint32_t scaled(uint32_t side, double scale) {
    return std::max(static_cast<uint32_t>(std::lround(side * scale)), 1u);
}

}  // namespace

WindowOrder window_order(Size frame, Size room, const SecondView& second) {
    const bool two = second.kind != SecondView::Kind::off;
    const Size both = two ? two_views(frame, second.below).all : frame;
    const Placement place = fitted(both, room);
    const double enough = std::min(1.0, least_side / std::min(frame.x, frame.y));
    WindowOrder order;
    order.all = Size(place.width, place.height);
    if (const double scale = double(place.width) / both.x; scale < enough)
        order.all = {scaled(both.x, enough), scaled(both.y, enough)};
    order.view = {std::min(scaled(frame.x, double(order.all.x) / both.x), order.all.x),
                  std::min(scaled(frame.y, double(order.all.y) / both.y), order.all.y)};
    order.second_corner = two ? order.all - order.view : Size();
    return order;
}

WindowOrder tile_order(Size frame, const WindowTile& tile) {
    const Placement place = fitted(frame, tile.size);
    WindowOrder order;
    order.view = {std::max(place.width, 1u), std::max(place.height, 1u)};
    order.all = tile.all;
    order.tile = true;
    order.corner = tile.corner + Size(place.left, place.top);
    return order;
}

}  // namespace saccade
