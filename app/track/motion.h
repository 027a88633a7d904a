#pragma once

#include "gpu/core/geometry.h"

namespace saccade {

// A Kalman filter for one value with constant velocity and white-noise acceleration. Time is in
// seconds, so frame times may be uneven.
class KalmanFilter {
public:
    KalmanFilter() = default;
    KalmanFilter(float value, float deviation, float speed_deviation)
        : value_(value),
          variance_(deviation * deviation),
          speed_variance_(speed_deviation * speed_deviation) {}

    float value() const { return value_; }
    float speed() const { return speed_; }
    float variance() const { return variance_; }

    // `noise` (q): how much the speed's variance grows in a second.
    void predict(float seconds, float noise) {
        value_ += speed_ * seconds;
        const float t = seconds, t2 = t * t;
        variance_ += 2 * t * covariance_ + t2 * speed_variance_ + noise * t2 * t / 3;
        covariance_ += t * speed_variance_ + noise * t2 / 2;
        speed_variance_ += noise * t;
    }
    void update(float measured, float deviation) {
        const float sum = variance_ + deviation * deviation;
        const float gain = variance_ / sum, speed_gain = covariance_ / sum;
        const float innovation = measured - value_;
        value_ += gain * innovation;
        speed_ += speed_gain * innovation;
        speed_variance_ -= speed_gain * covariance_;
        covariance_ -= gain * covariance_;
        variance_ -= gain * variance_;
    }
    void stop() { speed_ = 0; }

private:
    float value_ = 0, speed_ = 0;
    float variance_ = 0, covariance_ = 0, speed_variance_ = 0;
};

// Kalman filters for the centre and size of a box; all deviations are relative to its size.
class BoxMotion {
public:
    BoxMotion() = default;
    explicit BoxMotion(const Rectangle& box);

    void predict(float seconds);
    void update(const Rectangle& box);
    // Sets the growth to zero, for a lost track: it moves on, but does not grow or shrink.
    void keep_size();

    Rectangle box() const;
    glm::vec2 speed() const { return {x_.speed(), y_.speed()}; }
    // The Mahalanobis distance of a box's centre from the predicted one.
    float distance(const Rectangle& box) const;

private:
    float scale() const;
    KalmanFilter x_, y_, width_, height_;
};

}  // namespace saccade
