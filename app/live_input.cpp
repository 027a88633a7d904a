#include "app/live_input.h"

#include "app/window/keys.h"

namespace saccade {

namespace {

// What of the picture a person points at.
std::optional<PicturePoint> pointed_at(const LiveScene& scene, std::optional<PicturePoint> point) {
    if (!point || !scene.tiles) return point;
    const auto shown = scene.tiles->shown_at(point->x, point->y);
    return shown ? std::optional(PicturePoint{shown->x, shown->y}) : std::nullopt;
}

void point_at(LiveState& state, const LiveScene& scene, std::optional<PicturePoint> point) {
    state.pointer = pointed_at(scene, point);
    state.word.reset();
    if (!point || !state.caption || !scene.word_at) return;
    if (const auto word = scene.word_at(point->x, point->y))
        state.word = static_cast<uint32_t>(*word);
}

}  // namespace

std::optional<PicturePoint> point_in_picture(const LiveScene& scene, float x, float y) {
    const Placement& place = scene.place;
    if (place.width == 0 || place.height == 0) return {};
    const float u = (x - float(place.left)) / float(place.width);
    const float v = (y - float(place.top)) / float(place.height);
    if (!(u >= 0 && u < 1 && v >= 0 && v < 1)) return {};
    return PicturePoint{u * float(scene.picture.width), v * float(scene.picture.height)};
}

std::optional<uint32_t> query_at(const LiveScene& scene, PicturePoint point) {
    const Detection* found = nullptr;
    auto area = [](const Detection& d) { return (d.right - d.left) * (d.bottom - d.top); };
    for (const Detection& d : scene.detections)
        if (point.x >= d.left && point.x < d.right && point.y >= d.top && point.y < d.bottom &&
            (!found || area(d) < area(*found)))
            found = &d;
    if (!found) return {};
    return found->query;
}

void apply_event(LiveState& state, const WindowEvent& event, const LiveScene& scene,
                 PanelFocus panels) {
    switch (event.kind) {
        case WindowEvent::Kind::key:
            // Whoever has typed enough leaves the text, not the program.
            if (!panels.keyboard) press_key(state, event.key);
            return;
        case WindowEvent::Kind::move:
            return point_at(
                state, scene,
                panels.mouse ? std::nullopt : point_in_picture(scene, event.x, event.y));
        case WindowEvent::Kind::leave:
            return point_at(state, scene, std::nullopt);
        case WindowEvent::Kind::press:
            if (panels.mouse || event.button != 0) return;
            if (const auto point = pointed_at(scene, point_in_picture(scene, event.x, event.y)))
                state.query = state.boxes ? query_at(scene, *point) : std::nullopt;
            return;
        case WindowEvent::Kind::release:
            return;
    }
}

}  // namespace saccade
