#include "app/live/input.h"

#include <algorithm>
#include <glm/common.hpp>
#include <utility>

#include "app/live/keys.h"
#include "app/sources/dropped.h"

namespace saccade {

namespace {

// What of the picture a person points at.
std::optional<glm::vec2> pointed_at(const LiveScene& scene, std::optional<ScenePoint> point) {
    if (!point) return {};
    const std::optional<TileGrid>& tiles = point->second ? scene.second->tiles : scene.tiles;
    return tiles ? tiles->shown_at(point->pixel) : point->pixel;
}

void point_at(LiveState& state, const LiveScene& scene, std::optional<ScenePoint> point) {
    state.pointer = pointed_at(scene, point);
    state.over_second = point && point->second;
    if (state.word_held) return;
    state.word.reset();
    if (!point || !state.caption || (point->second && scene.second->bare)) return;
    for (uint32_t i = 0; i < scene.words.size(); ++i)
        if (scene.words[i].contains(point->pixel)) state.word = i;
}

// What is clicked stays what looks, until it is clicked again or something else is.
void hold(LiveState& state, const LiveScene& scene, std::optional<ScenePoint> point) {
    const std::optional<glm::vec2> place = pointed_at(scene, point);
    if (!place) return;
    const bool on_word = state.word && point && !state.word_held;
    const std::optional<uint32_t> query = state.boxes ? query_at(scene, *place) : std::nullopt;
    const bool again = holds(state) && !on_word && (!query || query == state.query);
    release_held(state);
    if (again) return;
    state.knows_holding = true;
    if (on_word)
        state.word_held = true;
    else if (query)
        state.query = query;
    else
        state.held = place;
}

// In a picture that stands still, whoever pulls the mouse draws a box. Less is a click.
constexpr float least_box = 8;  // pixels of the picture
void begin_box(LiveState& state, const LiveScene& scene, std::optional<ScenePoint> point) {
    state.dragged.reset();
    state.drag_from.reset();
    if (state.frozen && scene.takes_examples && !scene.tiles && point && !point->second)
        state.drag_from = point->pixel;
}
void pull_box(LiveState& state, std::optional<ScenePoint> to) {
    if (!state.drag_from || !to || to->second) return;
    const Rectangle box(glm::min(*state.drag_from, to->pixel),
                        glm::max(*state.drag_from, to->pixel));
    if (box.size().x >= least_box && box.size().y >= least_box)
        state.dragged = box;
    else
        state.dragged.reset();
}
void end_box(LiveState& state) {
    state.drag_from.reset();
    if (!state.dragged) return;
    release_held(state);  // what the click that began it has held
    add_example(state, *std::exchange(state.dragged, std::nullopt));
}

}  // namespace

TwoViews two_views(Size picture, bool below) {
    const uint32_t apart = std::max(picture.x / 128, 4u);
    if (below) return {{0, picture.y + apart}, {picture.x, 2 * picture.y + apart}};
    return {{picture.x + apart, 0}, {2 * picture.x + apart, picture.y}};
}

Size size_of(const LiveScene& scene) {
    return scene.second ? two_views(scene.picture, scene.second->below).all : scene.picture;
}

std::optional<ScenePoint> point_in_picture(const LiveScene& scene, glm::vec2 point) {
    const Placement& place = scene.place;
    if (place.width == 0 || place.height == 0) return {};
    const glm::vec2 part =
        (point - glm::vec2(place.left, place.top)) / glm::vec2(place.width, place.height);
    if (!Rectangle(0, 0, 1, 1).contains(part)) return {};
    const glm::vec2 pixel = part * glm::vec2(size_of(scene));
    const Rectangle picture({}, glm::vec2(scene.picture));
    if (picture.contains(pixel)) return ScenePoint{pixel};
    if (!scene.second) return {};
    const glm::vec2 there = pixel - glm::vec2(two_views(scene.picture, scene.second->below).corner);
    if (!picture.contains(there)) return {};
    return ScenePoint{there, true};
}

std::optional<uint32_t> query_at(const LiveScene& scene, glm::vec2 point) {
    const Detection* found = nullptr;
    for (const Detection& d : scene.detections)
        if (d.box.contains(point) && (!found || d.box.area() < found->box.area())) found = &d;
    if (!found) return {};
    return found->query;
}

void apply_event(LiveState& state, const WindowEvent& event, const LiveScene& scene,
                 PanelFocus panels) {
    switch (event.kind) {
        case WindowEvent::Kind::key:
            // Whoever has typed enough leaves the text, not the program.
            if (!panels.keyboard && !event.repeated) press_key(state, event.key);
            return;
        case WindowEvent::Kind::move:
            pull_box(state, point_in_picture(scene, event.place));
            return point_at(state, scene,
                            panels.mouse ? std::nullopt : point_in_picture(scene, event.place));
        case WindowEvent::Kind::leave:
            return point_at(state, scene, std::nullopt);
        case WindowEvent::Kind::press:
            if (panels.mouse || event.button != 0) return;
            begin_box(state, scene, point_in_picture(scene, event.place));
            return hold(state, scene, point_in_picture(scene, event.place));
        case WindowEvent::Kind::release:
            if (event.button == 0) end_box(state);
            return;
        case WindowEvent::Kind::drop:
            return choose_sources(state, sources_in(event.paths));
        case WindowEvent::Kind::board:
        case WindowEvent::Kind::wheel:
            return;
    }
}

}  // namespace saccade
