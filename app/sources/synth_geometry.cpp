#include "app/sources/synth_geometry.h"

#include <cmath>

namespace saccade {

double wave(double turns) {
    turns -= std::floor(turns + 0.5);  // -0.5 .. 0.5
    // A parabola for each half of the wave, and a correction of fourth order.
    const double y = 8 * turns * (1 - 2 * std::abs(turns));
    return y + 0.225 * (y * std::abs(y) - y);
}

Point Projection::operator()(Point p) const {
    const double w = m[2][0] * p.x + m[2][1] * p.y + m[2][2];
    return {(m[0][0] * p.x + m[0][1] * p.y + m[0][2]) / w,
            (m[1][0] * p.x + m[1][1] * p.y + m[1][2]) / w};
}

Projection Projection::operator*(const Projection& first) const {
    Projection product;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            product.m[i][j] =
                m[i][0] * first.m[0][j] + m[i][1] * first.m[1][j] + m[i][2] * first.m[2][j];
    return product;
}

Projection Projection::inverse() const {
    // The adjugate over the determinant.
    auto minor = [&](int i, int j) {
        const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
        return m[a][c] * m[b][d] - m[a][d] * m[b][c];
    };
    const double determinant =
        m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2);
    Projection result;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) result.m[j][i] = minor(i, j) / determinant;
    return result;
}

}  // namespace saccade
