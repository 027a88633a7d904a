#pragma once

// Plane geometry of the synthetic camera. It keeps to operations that IEEE 754 rounds exactly, so
// that it comes out the same everywhere; the C library's sine does not.

namespace saccade {

struct Point {
    double x = 0, y = 0;
};

// sin(2 pi turns) to 1 part in 1000.
double wave(double turns);

// A map from plane to plane that keeps lines straight: rows of a 3 x 3 matrix on (x, y, 1).
struct Projection {
    double m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    Point operator()(Point p) const;
    Projection operator*(const Projection& first) const;
    Projection inverse() const;
};

}  // namespace saccade
