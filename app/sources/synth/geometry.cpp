#include "app/sources/synth/geometry.h"

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <glm/vec3.hpp>

namespace saccade {

double wave(double turns) {
    turns -= std::floor(turns + 0.5);  // -0.5 .. 0.5
    // A parabola for each half of the wave, with a correction of fourth order.
    const double y = 8 * turns * (1 - 2 * std::abs(turns));
    return y + 0.225 * (y * std::abs(y) - y);
}

glm::dvec2 project(const glm::dmat3& map, glm::dvec2 point) {
    const glm::dvec3 p = map * glm::dvec3(point, 1);
    return glm::dvec2(p) / p.z;
}

glm::dmat3 inverse_of(const glm::dmat3& m) {
    // The adjugate over the determinant.
    const glm::dvec3 a = glm::cross(m[1], m[2]), b = glm::cross(m[2], m[0]);
    const glm::dvec3 c = glm::cross(m[0], m[1]);
    const double determinant = m[0].x * a.x + m[1].x * b.x + m[2].x * c.x;
    return glm::transpose(glm::dmat3(a, b, c)) / determinant;
}

}  // namespace saccade
