#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gpu/core/geometry.h"
#include "models/detector.h"

namespace saccade {

// Boxes that overlap by more (IoU) are drawn as one thing.
inline constexpr float same_thing = 0.8f;

// The detections that are drawn, of all that were found, best first: of those whose boxes almost
// coincide, of whatever class, the strongest.
std::vector<Detection> one_for_each_thing(std::span<const Detection> found);
// The other names of the same thing.
std::vector<Detection> rivals_of(const Detection& one, std::span<const Detection> found);

struct LabelledBox {
    Rectangle box;    // pixels of the image; may reach beyond it
    glm::vec2 label;  // its size
};
struct PlacedLabel {
    bool merged = false;  // one thing with a stronger box: nothing is drawn
    std::optional<Rectangle> place;
};
// Where the labels lie, by the rule that box_plates follows on the device: see README.md. The
// strongest box comes first. No label covers what is taken.
std::vector<PlacedLabel> place_labels(std::span<const LabelledBox> boxes, Size image,
                                      std::vector<Rectangle> taken);

// A place for a text that has to be seen: as near to `corner` as it can be, in the image, and in
// nothing that is taken if there is such a place above or below.
Rectangle place_near(glm::vec2 corner, glm::vec2 size, Size image,
                     std::span<const Rectangle> taken);

}  // namespace saccade
