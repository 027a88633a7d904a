#include "app/live/input.h"

#include <algorithm>
#include <glm/common.hpp>
#include <utility>

#include "app/live/state/controls.h"
#include "app/sources/dropped.h"

namespace saccade {

namespace {

// The pixel of the frame at a point: in a tile, of the frame that it shows.
std::optional<glm::vec2> frame_pixel(const LiveScene& scene, std::optional<ScenePoint> point) {
    if (!point) return {};
    const std::optional<TileGrid>& tiles = point->second ? scene.second->tiles : scene.tiles;
    return tiles ? tiles->shown_at(point->pixel) : point->pixel;
}

void point_at_word(Session& session, const LiveScene& scene, std::optional<ScenePoint> point) {
    Pointer& pointer = session.pointer;
    if (pointer.word_held) return;
    pointer.target.word.reset();
    if (!point || !session.wishes.look.caption) return;
    if (point->second && (!scene.second || scene.second->bare)) return;
    for (uint32_t i = 0; i < scene.words.size(); ++i)
        if (scene.words[i].contains(point->pixel)) pointer.target.word = i;
}

void point_at(Session& session, const LiveScene& scene, std::optional<ScenePoint> point) {
    Pointer& pointer = session.pointer;
    pointer.target.point = frame_pixel(scene, point);
    pointer.over_second = point && point->second;
    point_at_word(session, scene, point);
}

// A click holds the word, the box or the patch under it, until the next click.
void hold(Session& session, const LiveScene& scene, std::optional<ScenePoint> point) {
    Pointer& pointer = session.pointer;
    const std::optional<glm::vec2> place = frame_pixel(scene, point);
    if (!place) return;
    const bool on_word = pointer.target.word && point && !pointer.word_held;
    const std::optional<uint32_t> query =
        session.wishes.look.boxes ? query_at(scene, *place) : std::nullopt;
    const bool again = holds(pointer) && !on_word && (!query || query == pointer.target.query);
    release_held(pointer);
    if (again) return;
    session.wishes.window.knows_holding = true;
    if (on_word)
        pointer.word_held = true;
    else if (query)
        pointer.target.query = query;
    else
        pointer.target.held = place;
}

// Dragging over a frozen picture draws a box. A smaller one is a click.
constexpr float least_box = 8;  // pixels of the picture
void begin_box(Session& session, const LiveScene& scene, std::optional<ScenePoint> point) {
    Pointer& pointer = session.pointer;
    pointer.dragged.reset();
    pointer.drag_from.reset();
    if (session.wishes.frozen && scene.takes_examples && !scene.tiles && point && !point->second)
        pointer.drag_from = point->pixel;
}
void drag_box(Pointer& pointer, std::optional<ScenePoint> to) {
    if (!pointer.drag_from || !to || to->second) return;
    const Rectangle box(glm::min(*pointer.drag_from, to->pixel),
                        glm::max(*pointer.drag_from, to->pixel));
    if (box.size().x >= least_box && box.size().y >= least_box)
        pointer.dragged = box;
    else
        pointer.dragged.reset();
}
void end_box(Session& session) {
    session.pointer.drag_from.reset();
    if (!session.pointer.dragged) return;
    release_held(session.pointer);  // the click that began the box has held something
    add_example(session.wishes, *std::exchange(session.pointer.dragged, std::nullopt));
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

void follow_words(Session& session, const LiveScene& scene) {
    const Pointer& pointer = session.pointer;
    const bool second = pointer.over_second;
    // In a tile, the pixel of the frame is another than that of the picture, where words are.
    const bool tiled = second ? scene.second && scene.second->tiles : scene.tiles.has_value();
    if (pointer.target.point && !tiled)
        point_at_word(session, scene, ScenePoint{*pointer.target.point, second});
}

void apply_event(Session& session, const WindowEvent& event, const LiveScene& scene,
                 PanelFocus panels) {
    switch (event.kind) {
        case WindowEvent::Kind::key:
            // Escape ends typing before it ends the program.
            if (!panels.keyboard && !event.repeated) press_key(session, event.key);
            return;
        case WindowEvent::Kind::move:
            drag_box(session.pointer, point_in_picture(scene, event.place));
            return point_at(session, scene,
                            panels.mouse ? std::nullopt : point_in_picture(scene, event.place));
        case WindowEvent::Kind::leave:
            return point_at(session, scene, std::nullopt);
        case WindowEvent::Kind::press:
            if (panels.mouse || event.button != 0) return;
            begin_box(session, scene, point_in_picture(scene, event.place));
            return hold(session, scene, point_in_picture(scene, event.place));
        case WindowEvent::Kind::release:
            if (event.button == 0) end_box(session);
            return;
        case WindowEvent::Kind::drop:
            return choose_sources(session, sources_in(event.paths));
        case WindowEvent::Kind::board:
        case WindowEvent::Kind::wheel:
            return;
    }
}

}  // namespace saccade
