#include "app/track/motion.h"

#include <algorithm>
#include <cmath>

namespace saccade {

namespace {

// Parts of the box's size: how exact detectors are, how fast things may be when they appear, and
// how much their speed changes in a second.
constexpr float seen_deviation = 0.05f;
constexpr float first_speed = 2.0f, first_growth = 0.3f;
constexpr float unrest_of_place = 1.0f, unrest_of_size = 0.3f;

constexpr float square(float x) { return x * x; }

}  // namespace

BoxMotion::BoxMotion(const Rectangle& box) {
    const glm::vec2 middle = box.middle(), size = box.size();
    const float side = std::sqrt(std::max(box.area(), 1.0f));
    const float seen = seen_deviation * side;
    x_ = {middle.x, seen, first_speed * side};
    y_ = {middle.y, seen, first_speed * side};
    width_ = {size.x, seen, first_growth * side};
    height_ = {size.y, seen, first_growth * side};
}

float BoxMotion::scale() const {
    return std::sqrt(std::max(width_.place() * height_.place(), 1.0f));
}

void BoxMotion::wait(float seconds) {
    const float side = scale();
    for (MovingNumber* place : {&x_, &y_}) place->wait(seconds, square(unrest_of_place * side));
    for (MovingNumber* size : {&width_, &height_}) size->wait(seconds, square(unrest_of_size * side));
}

void BoxMotion::see(const Rectangle& box) {
    const float deviation = seen_deviation * scale();
    const glm::vec2 middle = box.middle(), size = box.size();
    x_.see(middle.x, deviation);
    y_.see(middle.y, deviation);
    width_.see(size.x, deviation);
    height_.see(size.y, deviation);
}

void BoxMotion::keep_size() {
    width_.stop();
    height_.stop();
}

Rectangle BoxMotion::box() const {
    const glm::vec2 middle(x_.place(), y_.place());
    const glm::vec2 half(std::max(width_.place(), 1.0f) / 2, std::max(height_.place(), 1.0f) / 2);
    return {middle - half, middle + half};
}

float BoxMotion::distance(const Rectangle& box) const {
    const float seen = square(seen_deviation * scale());
    const glm::vec2 way = box.middle() - glm::vec2(x_.place(), y_.place());
    return std::sqrt(square(way.x) / (x_.variance() + seen) + square(way.y) / (y_.variance() + seen));
}

}  // namespace saccade
