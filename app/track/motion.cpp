#include "app/track/motion.h"

#include <algorithm>
#include <cmath>

namespace saccade {

namespace {

// Relative to the box's size: the deviation of a detector's boxes, the initial deviations of speed
// and growth, and the process noise per second.
constexpr float measurement_deviation = 0.05f;
constexpr float first_speed = 2.0f, first_growth = 0.3f;
constexpr float position_noise = 1.0f, size_noise = 0.3f;

constexpr float square(float x) { return x * x; }

}  // namespace

BoxMotion::BoxMotion(const Rectangle& box) {
    const glm::vec2 middle = box.middle(), size = box.size();
    const float side = std::sqrt(std::max(box.area(), 1.0f));
    const float seen = measurement_deviation * side;
    x_ = {middle.x, seen, first_speed * side};
    y_ = {middle.y, seen, first_speed * side};
    width_ = {size.x, seen, first_growth * side};
    height_ = {size.y, seen, first_growth * side};
}

float BoxMotion::scale() const {
    return std::sqrt(std::max(width_.value() * height_.value(), 1.0f));
}

void BoxMotion::predict(float seconds) {
    const float side = scale();
    for (KalmanFilter* position : {&x_, &y_})
        position->predict(seconds, square(position_noise * side));
    for (KalmanFilter* size : {&width_, &height_})
        size->predict(seconds, square(size_noise * side));
}

void BoxMotion::update(const Rectangle& box) {
    const float deviation = measurement_deviation * scale();
    const glm::vec2 middle = box.middle(), size = box.size();
    x_.update(middle.x, deviation);
    y_.update(middle.y, deviation);
    width_.update(size.x, deviation);
    height_.update(size.y, deviation);
}

void BoxMotion::keep_size() {
    width_.stop();
    height_.stop();
}

Rectangle BoxMotion::box() const {
    const glm::vec2 middle(x_.value(), y_.value());
    const glm::vec2 half(std::max(width_.value(), 1.0f) / 2, std::max(height_.value(), 1.0f) / 2);
    return {middle - half, middle + half};
}

float BoxMotion::distance(const Rectangle& box) const {
    const float seen = square(measurement_deviation * scale());
    const glm::vec2 way = box.middle() - glm::vec2(x_.value(), y_.value());
    return std::sqrt(square(way.x) / (x_.variance() + seen) +
                     square(way.y) / (y_.variance() + seen));
}

}  // namespace saccade
