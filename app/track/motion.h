#pragma once

#include "gpu/core/geometry.h"

namespace saccade {

// A number that moves: where it is, how fast, and how sure that is (a Kalman filter in which speed
// changes by chance). Time is in seconds, so frames may come as they like.
class MovingNumber {
public:
    MovingNumber() = default;
    MovingNumber(float place, float place_deviation, float speed_deviation)
        : place_(place),
          place_variance_(place_deviation * place_deviation),
          speed_variance_(speed_deviation * speed_deviation) {}

    float place() const { return place_; }
    float speed() const { return speed_; }
    float variance() const { return place_variance_; }

    // `unrest`: how much the speed's variance grows in a second.
    void wait(float seconds, float unrest) {
        place_ += speed_ * seconds;
        const float t = seconds, t2 = t * t;
        place_variance_ += 2 * t * covariance_ + t2 * speed_variance_ + unrest * t2 * t / 3;
        covariance_ += t * speed_variance_ + unrest * t2 / 2;
        speed_variance_ += unrest * t;
    }
    void see(float place, float deviation) {
        const float sum = place_variance_ + deviation * deviation;
        const float gain = place_variance_ / sum, speed_gain = covariance_ / sum;
        const float surprise = place - place_;
        place_ += gain * surprise;
        speed_ += speed_gain * surprise;
        speed_variance_ -= speed_gain * covariance_;
        covariance_ -= gain * covariance_;
        place_variance_ -= gain * place_variance_;
    }
    void stop() { speed_ = 0; }

private:
    float place_ = 0, speed_ = 0;
    float place_variance_ = 0, covariance_ = 0, speed_variance_ = 0;
};

// A box that moves and grows; all deviations are parts of its own size.
class BoxMotion {
public:
    BoxMotion() = default;
    explicit BoxMotion(const Rectangle& box);

    void wait(float seconds);
    void see(const Rectangle& box);
    // Nobody sees it any more: it goes on, but does not grow or shrink.
    void keep_size();

    Rectangle box() const;
    glm::vec2 speed() const { return {x_.speed(), y_.speed()}; }
    // How far a box's middle lies from where it is expected, in deviations.
    float distance(const Rectangle& box) const;

private:
    float scale() const;
    MovingNumber x_, y_, width_, height_;
};

}  // namespace saccade
