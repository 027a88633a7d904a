#include <array>
#include <cmath>

#include "gpu/ops/maps.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class PrincipalTest : public GpuTest {
protected:
    static constexpr uint32_t across = 9, down = 6, cells = across * down;

    // Features that vary most along three directions and less along all others, after tokens that
    // must be ignored.
    struct Made {
        uint32_t first, columns;
        std::vector<float> x;
        std::array<std::vector<double>, 3> directions;  // of length one
    };
    Made make(uint32_t first, uint32_t columns, double turn = 0) {
        Made made{first, columns, random(size_t(first + cells) * columns), {}};
        for (float& v : made.x) v *= 0.05f;
        for (size_t i = 0; i < size_t(first) * columns; ++i) made.x[i] *= 1000;
        // Not along the axes: a slowly turning wave has components everywhere.
        for (size_t k = 0; k < 3; ++k) {
            std::vector<double>& d = made.directions[k];
            for (uint32_t j = 0; j < columns; ++j)
                d.push_back(std::cos(double(j * (k + 1)) + turn));
            for (size_t l = 0; l < k; ++l) subtract(d, made.directions[l]);
            const double length = std::sqrt(dot(d, d));
            for (double& v : d) v /= length;
        }
        const double spread[] = {9, 5, 3};
        for (uint32_t i = 0; i < cells; ++i)
            for (size_t k = 0; k < 3; ++k) {
                const double at = spread[k] * std::cos(double(i * (2 * k + 3)) * 0.7);
                for (uint32_t j = 0; j < columns; ++j)
                    made.x[size_t(first + i) * columns + j] +=
                        static_cast<float>(at * made.directions[k][j] + 2);
            }
        return made;
    }
    static double dot(const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0;
        for (size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
        return sum;
    }
    static void subtract(std::vector<double>& from, const std::vector<double>& d) {
        const double along = dot(from, d);
        for (size_t j = 0; j < d.size(); ++j) from[j] -= along * d[j];
    }

    // The principal components by power iteration on the covariance, in doubles.
    static std::vector<std::vector<double>> reference(const Made& made) {
        const size_t columns = made.columns;
        std::vector<std::vector<double>> x(cells, std::vector<double>(columns));
        std::vector<double> mean(columns);
        for (size_t i = 0; i < cells; ++i)
            for (size_t j = 0; j < columns; ++j)
                mean[j] += (x[i][j] = double(made.x[(made.first + i) * columns + j])) / cells;
        for (auto& row : x)
            for (size_t j = 0; j < columns; ++j) row[j] -= mean[j];
        std::vector<std::vector<double>> found;
        for (size_t k = 0; k < 3; ++k) {
            std::vector<double> d(columns, 0.0);
            for (size_t j = 0; j < columns; ++j) d[j] = std::sin(double(j) + double(k));
            for (int step = 0; step < 500; ++step) {
                std::vector<double> next(columns);
                for (const auto& row : x) {
                    const double along = dot(row, d);
                    for (size_t j = 0; j < columns; ++j) next[j] += along * row[j];
                }
                for (const auto& before : found) subtract(next, before);
                const double length = std::sqrt(dot(next, next));
                for (size_t j = 0; j < columns; ++j) d[j] = next[j] / length;
            }
            found.push_back(d);
        }
        return found;
    }

    std::vector<std::vector<double>> directions_of(const Tensor& basis) const {
        const std::vector<float> all = values(basis);
        std::vector<std::vector<double>> result;
        for (size_t k = 0; k < 3; ++k)
            result.emplace_back(all.begin() + std::ptrdiff_t(k * basis.columns),
                                all.begin() + std::ptrdiff_t((k + 1) * basis.columns));
        return result;
    }
    std::vector<float> maps_of(const Made& made, const Tensor& basis, PrincipalSteps how) {
        const Tensor x = tensor(1, made.first + cells, made.columns, Type::f32, made.x);
        return run([&](Commands& c) {
            const Tensor maps = c.scratch(3, down, across, Type::f32);
            principal_into(c, maps, basis, x, made.first, how);
            return maps;
        });
    }
};

TEST_F(PrincipalTest, finds_the_principal_components_and_where_cells_lie_along_them) {
    for (uint32_t columns : {5u, 64u, 390u}) {
        const Made made = make(3, columns);
        const Tensor basis = poisoned(1, 3, columns, Type::f32);
        const std::vector<float> maps = maps_of(made, basis, {.steps = 40, .fresh = true});
        expect_zero_padding(basis);
        const auto found = directions_of(basis), want = reference(made);
        for (size_t k = 0; k < 3; ++k) {
            EXPECT_NEAR(std::abs(dot(found[k], want[k])), 1, 1e-4) << columns << " columns, " << k;
            std::vector<double> mean(columns);
            for (size_t i = 0; i < cells; ++i)
                for (size_t j = 0; j < columns; ++j)
                    mean[j] += double(made.x[(made.first + i) * columns + j]) / cells;
            std::vector<float> along;
            for (size_t i = 0; i < cells; ++i) {
                double sum = 0;
                for (size_t j = 0; j < columns; ++j)
                    sum += (double(made.x[(made.first + i) * columns + j]) - mean[j]) * found[k][j];
                along.push_back(static_cast<float>(sum));
            }
            EXPECT_LT(relative_error({maps.begin() + std::ptrdiff_t(k * cells), cells}, along),
                      1e-4)
                << "map " << k;
        }
    }
}

TEST_F(PrincipalTest, follows_a_picture_that_changes_without_changing_signs_or_order) {
    const uint32_t columns = 48;
    const Tensor basis = poisoned(1, 3, columns, Type::f32);
    std::vector<float> before = maps_of(make(1, columns), basis, {.steps = 40, .fresh = true});
    for (int frame = 1; frame <= 20; ++frame) {
        const Made made = make(1, columns, 0.05 * frame);
        const std::vector<float> now = maps_of(made, basis, {.steps = 2});
        for (size_t k = 0; k < 3; ++k) {
            double same = 0, size = 0;
            for (size_t i = k * cells; i < (k + 1) * cells; ++i) {
                same += double(now[i]) * double(before[i]);
                size += double(now[i]) * double(now[i]);
            }
            EXPECT_GT(same, 0.9 * size) << "frame " << frame << ", direction " << k;
        }
        before = now;
    }
}

TEST_F(PrincipalTest, cells_that_are_all_the_same_lie_nowhere_and_do_no_harm_later) {
    const uint32_t columns = 20;
    Made same = make(0, columns);
    std::ranges::fill(same.x, 0.75f);
    const Tensor basis = poisoned(1, 3, columns, Type::f32);
    for (float v : maps_of(same, basis, {.steps = 3, .fresh = true})) EXPECT_EQ(v, 0);
    const Made made = make(0, columns);
    maps_of(made, basis, {.steps = 60});
    const auto found = directions_of(basis), want = reference(made);
    EXPECT_NEAR(std::abs(dot(found[0], want[0])), 1, 1e-3);
}

TEST_F(PrincipalTest, refuses_other_shapes) {
    begin();
    const Tensor x = random_tensor(1, 20, 16, Type::f32);
    EXPECT_THROW(principal_into(commands, poisoned(3, 4, 5, Type::f32),
                                poisoned(1, 3, 24, Type::f32), x, 0, {}),
                 Error);
    EXPECT_THROW(principal_into(commands, poisoned(3, 4, 5, Type::f32),
                                poisoned(1, 3, 16, Type::f32), x, 1, {}),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
