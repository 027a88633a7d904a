#include "app/draw/labels.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>

#include "shaders/draw/labels.h"

namespace saccade {

namespace {

params::Area area_of(const Rectangle& place) {
    return {place.min.x, place.min.y, place.max.x, place.max.y};
}
Rectangle rectangle(const params::Area& area) {
    return {area.left, area.top, area.right, area.bottom};
}

bool is_same(const Rectangle& a, const Rectangle& b) {
    return params::overlap_of(area_of(a), area_of(b)) > same_thing;
}

bool is_finite(const Rectangle& box) {
    return std::isfinite(box.min.x) && std::isfinite(box.min.y) && std::isfinite(box.max.x) &&
           std::isfinite(box.max.y);
}

}  // namespace

std::vector<Detection> one_for_each_thing(std::span<const Detection> found) {
    std::vector<Detection> kept;
    for (const Detection& one : found)
        if (std::ranges::none_of(
                kept, [&](const Detection& other) { return is_same(other.box, one.box); }))
            kept.push_back(one);
    return kept;
}

std::vector<Detection> rivals_of(const Detection& one, std::span<const Detection> found) {
    std::vector<Detection> rivals;
    for (const Detection& other : found)
        if (other.id != one.id && is_same(one.box, other.box)) rivals.push_back(other);
    return rivals;
}

std::vector<PlacedLabel> place_labels(std::span<const LabelledBox> boxes, Size image,
                                      std::vector<Rectangle> taken) {
    const glm::vec2 size(image);
    std::vector<PlacedLabel> placed;
    std::vector<Rectangle> shown;
    for (const LabelledBox& one : boxes) {
        PlacedLabel& label = placed.emplace_back();
        const Rectangle inside(glm::clamp(glm::round(one.box.min), glm::vec2(0), size),
                               glm::clamp(glm::round(one.box.max), glm::vec2(0), size));
        label.merged =
            !is_finite(one.box) || inside.min.x >= inside.max.x || inside.min.y >= inside.max.y ||
            std::ranges::any_of(shown, [&](const Rectangle& box) { return is_same(box, one.box); });
        if (label.merged) continue;
        shown.push_back(one.box);
        const params::Area box = area_of(inside);
        uint32_t blocked = params::places_outside(box, one.label, size);
        for (const Rectangle& other : taken)
            blocked |= params::places_covering(area_of(other), box, one.label, size);
        const uint32_t place = params::first_free(blocked);
        if (place == params::label_places) continue;
        label.place = rectangle(params::label_at(place, box, one.label, size));
        taken.push_back(*label.place);
    }
    return placed;
}

Rectangle place_near(glm::vec2 corner, glm::vec2 size, Size image,
                     std::span<const Rectangle> taken) {
    const glm::vec2 last = glm::max(glm::vec2(image) - size, glm::vec2(0));
    const glm::vec2 first = glm::floor(glm::clamp(corner, glm::vec2(0), last));
    const auto steps = static_cast<int>(last.y / std::max(size.y, 1.0f)) + 1;
    for (int step = 0; step <= 2 * steps; ++step) {
        const auto lines = static_cast<float>(step % 2 == 0 ? -step / 2 : (step + 1) / 2);
        const glm::vec2 at(first.x, first.y + lines * size.y);
        if (at.y < 0 || at.y > last.y) continue;
        const Rectangle place(at, at + size);
        if (std::ranges::none_of(taken, [&](const Rectangle& other) {
                return params::covers(area_of(place), area_of(other));
            }))
            return place;
    }
    return {first, first + size};
}

}  // namespace saccade
