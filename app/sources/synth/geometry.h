#pragma once

#include <glm/mat3x3.hpp>
#include <glm/vec2.hpp>

// Plane geometry of the synthetic camera. It keeps to operations that IEEE 754 rounds exactly, so
// that it comes out the same everywhere; the C library's sine does not.

namespace saccade {

// sin(2 pi turns) to 1 part in 1000.
double wave(double turns);

// Where a map from plane to plane that keeps lines straight, a matrix on (x, y, 1), takes a point.
glm::dvec2 project(const glm::dmat3& map, glm::dvec2 point);

// The map back. glm::inverse multiplies by one over the determinant, which rounds twice: pictures
// would not be the same to the bit as they always were.
glm::dmat3 inverse_of(const glm::dmat3& map);

}  // namespace saccade
