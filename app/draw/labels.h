#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gpu/core/geometry.h"
#include "models/detector.h"

namespace saccade {

// Boxes that overlap by more (IoU) are drawn as one thing.
inline constexpr float same_thing = 0.8f;

// The detections to draw, best first: where boxes almost coincide, of whatever class, only the
// strongest is kept.
std::vector<Detection> one_for_each_thing(std::span<const Detection> found);
// The detections that `one` stands for: weaker ones of another class in almost the same box.
std::vector<Detection> rivals_of(const Detection& one, std::span<const Detection> found);

struct LabelledBox {
    Rectangle box;    // pixels of the image; may reach beyond it
    glm::vec2 label;  // its size
};
struct PlacedLabel {
    bool merged = false;  // a stronger box stands for this one: nothing is drawn
    std::optional<Rectangle> place;
};
// Places labels by the rule that box_plates follows on the device: see README.md. Boxes come
// strongest first. No label covers a rectangle that is taken.
std::vector<PlacedLabel> place_labels(std::span<const LabelledBox> boxes, Size image,
                                      std::vector<Rectangle> taken);

// A place for a text that must be shown: in the image, as near to `corner` as possible, moved up or
// down to where it covers nothing that is taken, if there is such a place.
Rectangle place_near(glm::vec2 corner, glm::vec2 size, Size image,
                     std::span<const Rectangle> taken);

}  // namespace saccade
