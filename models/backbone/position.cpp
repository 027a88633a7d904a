#include "models/backbone/position.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include "gpu/core/error.h"
#include "gpu/recorder/upload.h"

namespace saccade {

namespace {

// Positions along one axis: (count, dim), pairs of sine and cosine of ever longer period.
std::vector<float> sine_axis(uint32_t count, uint32_t dim) {
    constexpr double temperature = 10000, eps = 1e-6, circle = 2 * std::numbers::pi;
    std::vector<float> result;
    result.reserve(size_t(count) * dim);
    for (uint32_t place = 1; place <= count; ++place)
        for (uint32_t i = 0; i < dim; ++i) {
            const double period = std::pow(temperature, 2.0 * (i / 2) / dim);
            const double angle = place / (count + eps) * circle / period;
            result.push_back(static_cast<float>(i % 2 == 0 ? std::sin(angle) : std::cos(angle)));
        }
    return result;
}

}  // namespace

std::vector<float> sine_positions(Size grid, uint32_t dim) {
    if (dim % 4 != 0) throw Error("sine positions need a multiple of four numbers a token");
    const uint32_t half = dim / 2;
    const std::vector<float> down = sine_axis(grid.y, half);
    const std::vector<float> across = sine_axis(grid.x, half);
    std::vector<float> result;
    result.reserve(size_t(area(grid)) * dim);
    for (uint32_t y = 0; y < grid.y; ++y)
        for (uint32_t x = 0; x < grid.x; ++x) {
            result.insert(result.end(), &down[y * half], &down[y * half] + half);
            result.insert(result.end(), &across[x * half], &across[x * half] + half);
        }
    return result;
}

namespace {

// Where one output cell reads along one axis: four neighbours and their weights.
struct CubicTaps {
    std::array<uint32_t, 4> at;
    std::array<float, 4> weight;
};

std::vector<CubicTaps> cubic_taps(uint32_t from, uint32_t to) {
    constexpr double a = -0.75;
    // The kernel of cubic convolution, at a distance below 1 and from there on below 2.
    auto near = [](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    auto far = [](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    std::vector<CubicTaps> taps(to);
    for (uint32_t i = 0; i < to; ++i) {
        const double centre = (i + 0.5) * from / to - 0.5;
        const double first = std::floor(centre), t = centre - first;
        const double weights[] = {far(1 + t), near(t), near(1 - t), far(2 - t)};
        for (uint32_t k = 0; k < 4; ++k) {
            const double place = std::clamp(first - 1 + k, 0.0, from - 1.0);
            taps[i].at[k] = static_cast<uint32_t>(place);
            taps[i].weight[k] = static_cast<float>(weights[k]);
        }
    }
    return taps;
}

// to = sum over k of weight[k] from[k], whole rows of numbers at a time.
void weigh(float* to, const std::array<const float*, 4>& from, const std::array<float, 4>& weight,
           size_t count) {
    for (size_t i = 0; i < count; ++i)
        to[i] = weight[0] * from[0][i] + weight[1] * from[1][i] + weight[2] * from[2][i] +
                weight[3] * from[3][i];
}

}  // namespace

std::vector<float> resize_bicubic(std::span<const float> table, uint32_t dim, Size from, Size to) {
    if (table.size() != size_t(area(from)) * dim || area(from) == 0 || area(to) == 0)
        throw Error("a table of " + std::to_string(table.size()) + " positions is not a grid of " +
                    std::to_string(from.y) + "x" + std::to_string(from.x));
    // First along the rows, then along the columns.
    const std::vector<CubicTaps> across = cubic_taps(from.x, to.x);
    const std::vector<CubicTaps> down = cubic_taps(from.y, to.y);
    const size_t wide = size_t(to.x) * dim;
    std::vector<float> rows(from.y * wide), result(to.y * wide);
    for (uint32_t y = 0; y < from.y; ++y)
        for (uint32_t x = 0; x < to.x; ++x) {
            const float* row = &table[size_t(y) * from.x * dim];
            const auto& [at, weight] = across[x];
            weigh(&rows[y * wide + size_t(x) * dim],
                  {row + size_t(at[0]) * dim, row + size_t(at[1]) * dim, row + size_t(at[2]) * dim,
                   row + size_t(at[3]) * dim},
                  weight, dim);
        }
    for (uint32_t y = 0; y < to.y; ++y) {
        const auto& [at, weight] = down[y];
        weigh(&result[y * wide],
              {&rows[at[0] * wide], &rows[at[1] * wide], &rows[at[2] * wide], &rows[at[3] * wide]},
              weight, wide);
    }
    return result;
}

void PositionTables::prepare(Size grid, uint32_t count, uint32_t rows, uint32_t columns,
                             const Make& make) {
    if (grid == grid_) return;
    grid_ = {};  // until they are there
    const uint64_t bytes = tensor_bytes(1, rows, columns, Type::f32);
    const uint64_t step = (bytes + 255) / 256 * 256;
    if (memory_.bytes() < count * step)
        memory_ = Buffer(*device_, name_, count * step, Memory::device);
    tables_.clear();

    for (uint32_t i = 0; i < count; ++i) {
        const std::vector<float> values = make(i);
        if (values.size() != size_t(rows) * columns) throw Error(name_ + " of another size");
        const Tensor table = make_tensor(memory_.handle(), i * step, 1, rows, columns, Type::f32);
        upload(*device_, table, [&](std::span<std::byte> staged) {
            for (uint32_t row = 0; row < rows; ++row)
                std::memcpy(&staged[size_t(row) * table.row_stride * sizeof(float)],
                            &values[size_t(row) * columns], columns * sizeof(float));
        });
        tables_.push_back(table);
    }
    grid_ = grid;
}

}  // namespace saccade
