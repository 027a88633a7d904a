#pragma once

#include <glm/mat3x3.hpp>
#include <glm/vec2.hpp>

// Plane geometry of the synthetic camera. It only uses operations that IEEE 754 rounds correctly,
// so that results are the same on every machine; the C library's sine is not among them.

namespace saccade {

// sin(2 pi turns) to 1 part in 1000.
double wave(double turns);

// Applies a homography, a matrix on (x, y, 1), to a point.
glm::dvec2 project(const glm::dmat3& map, glm::dvec2 point);

// The inverse homography. glm::inverse multiplies by one over the determinant, which rounds twice:
// the pictures of a seed would change.
glm::dmat3 inverse_of(const glm::dmat3& map);

}  // namespace saccade
