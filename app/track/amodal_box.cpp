#include "app/track/amodal_box.h"

#include <algorithm>

namespace saccade {

namespace {

constexpr float fastest = 0.2f;     // the most by which an object shrinks in a second
constexpr float jitter = 0.04f;     // by which a detector's boxes vary
constexpr float least_seen = 0.3f;  // of the area, to locate the whole
constexpr float new_speed = 0.5f;   // weight of a new speed in the moving average
constexpr float good_speed = 0.5f;  // seconds for which a speed is extrapolated

constexpr float edge = 0.01f;  // of the picture's size: a box this near to the edge touches it

}  // namespace

AtEdge at_edge(const Rectangle& box, int axis, Size picture) {
    const auto end = static_cast<float>(picture[axis]);
    return {box.min[axis]<edge * end, box.max[axis]>(1 - edge) * end};
}

std::optional<Rectangle> AmodalBox::see(const Rectangle& box, double time, Size picture) {
    Rectangle whole = box;
    const float seconds = time_ ? static_cast<float>(time - *time_) : 0.0f;
    if (seconds > 0) {
        if (box.area() < least_seen * size_.x * size_.y) return std::nullopt;
        for (const int axis : {0, 1}) complete(axis, whole, seconds, picture);
        speed_ += new_speed * ((whole.middle() - middle_) / seconds - speed_);
    }
    size_ = whole.size();
    middle_ = whole.middle();
    time_ = time;
    return whole;
}

void AmodalBox::complete(int axis, Rectangle& box, float seconds, Size picture) const {
    const float size = size_[axis] * std::max(1 - fastest * seconds, 0.0f);
    const float missing = size - box.size()[axis];
    if (missing < jitter * size) return;
    // How far each side has moved inwards from where it is predicted.
    const float middle = middle_[axis] + speed_[axis] * std::min(seconds, good_speed);
    float low = std::max(box.min[axis] - (middle - size_[axis] / 2), 0.0f);
    float high = std::max(middle + size_[axis] / 2 - box.max[axis], 0.0f);
    const AtEdge at = at_edge(box, axis, picture);
    if (at.low != at.high) {
        low = at.low;
        high = at.high;
    }
    if (low + high <= 0) return;
    box.min[axis] -= missing * low / (low + high);
    box.max[axis] += missing * high / (low + high);
}

}  // namespace saccade
