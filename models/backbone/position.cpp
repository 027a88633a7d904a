#include "models/backbone/position.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "gpu/core/error.h"
#include "gpu/recorder/upload.h"

namespace saccade {

namespace {

// Positions along one axis: (count, dim), pairs of sine and cosine of increasing period.
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
    if (dim % 4 != 0) throw Error("sinusoidal positions need a multiple of four channels");
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

// The source cells of one output cell along one axis, and their weights.
struct CubicTaps {
    std::vector<uint32_t> at;
    std::vector<float> weight;
};

// The kernel of cubic convolution at a distance.
double cubic(double a, double d) {
    d = std::abs(d);
    if (d < 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

std::vector<CubicTaps> cubic_taps(uint32_t from, uint32_t to, double offset) {
    std::vector<CubicTaps> taps(to);
    for (uint32_t i = 0; i < to; ++i) {
        const double centre = (i + 0.5) * from / (to + offset) - 0.5;
        const double first = std::floor(centre) - 1;
        for (uint32_t k = 0; k < 4; ++k) {
            const double place = std::clamp(first + k, 0.0, from - 1.0);
            taps[i].at.push_back(static_cast<uint32_t>(place));
            taps[i].weight.push_back(static_cast<float>(cubic(-0.75, centre - (first + k))));
        }
    }
    return taps;
}

std::vector<CubicTaps> antialiased_taps(uint32_t from, uint32_t to) {
    std::vector<CubicTaps> taps(to);
    const double scale = double(from) / to, wide = std::max(scale, 1.0), support = 2 * wide;
    for (uint32_t i = 0; i < to; ++i) {
        const double centre = (i + 0.5) * scale;
        const auto first = static_cast<uint32_t>(std::max(centre - support + 0.5, 0.0));
        const auto end = static_cast<uint32_t>(std::min<double>(centre + support + 0.5, from));
        double total = 0;
        for (uint32_t k = first; k < end; ++k) total += cubic(-0.5, (k + 0.5 - centre) / wide);
        for (uint32_t k = first; k < end; ++k) {
            taps[i].at.push_back(k);
            taps[i].weight.push_back(
                static_cast<float>(cubic(-0.5, (k + 0.5 - centre) / wide) / total));
        }
    }
    return taps;
}

// First along the rows, then along the columns.
template <typename MakeTaps>
std::vector<float> resize(std::span<const float> table, uint32_t dim, Size from, Size to,
                          const MakeTaps& make_taps) {
    if (table.size() != size_t(area(from)) * dim || area(from) == 0 || area(to) == 0)
        throw Error("a table of " + std::to_string(table.size()) + " positions is not a grid of " +
                    std::to_string(from.y) + "x" + std::to_string(from.x));
    const std::vector<CubicTaps> across = make_taps(from.x, to.x), down = make_taps(from.y, to.y);
    const size_t wide = size_t(to.x) * dim;
    std::vector<float> rows(from.y * wide), result(to.y * wide);
    // sum += weight * values
    auto add = [](float* sum, const float* values, float weight, size_t count) {
        for (size_t i = 0; i < count; ++i) sum[i] += weight * values[i];
    };
    for (uint32_t y = 0; y < from.y; ++y)
        for (uint32_t x = 0; x < to.x; ++x)
            for (size_t k = 0; k < across[x].at.size(); ++k)
                add(&rows[y * wide + size_t(x) * dim],
                    &table[(size_t(y) * from.x + across[x].at[k]) * dim], across[x].weight[k], dim);
    for (uint32_t y = 0; y < to.y; ++y)
        for (size_t k = 0; k < down[y].at.size(); ++k)
            add(&result[y * wide], &rows[down[y].at[k] * wide], down[y].weight[k], wide);
    return result;
}

}  // namespace

std::vector<float> resize_bicubic(std::span<const float> table, uint32_t dim, Size from, Size to,
                                  double offset) {
    return resize(table, dim, from, to,
                  [&](uint32_t in, uint32_t out) { return cubic_taps(in, out, offset); });
}

std::vector<float> resize_bicubic_antialiased(std::span<const float> table, uint32_t dim, Size from,
                                              Size to) {
    return resize(table, dim, from, to, antialiased_taps);
}

void PositionTables::prepare(Size grid, uint32_t count, uint32_t rows, uint32_t columns,
                             const Make& make) {
    made_.choose(grid, [&] {
        const uint64_t bytes = tensor_bytes(1, rows, columns, Type::f32);
        const uint64_t step = (bytes + 255) / 256 * 256;
        Made made{grid, Buffer(*device_, name_, count * step, Memory::device), {}};
        for (uint32_t i = 0; i < count; ++i) {
            const std::vector<float> values = make(i);
            if (values.size() != size_t(rows) * columns) throw Error(name_ + " of another size");
            const Tensor table =
                make_tensor(made.memory.handle(), i * step, 1, rows, columns, Type::f32);
            upload(*device_, table, [&](std::span<std::byte> staged) {
                for (uint32_t row = 0; row < rows; ++row)
                    std::memcpy(&staged[size_t(row) * table.row_stride * sizeof(float)],
                                &values[size_t(row) * columns], columns * sizeof(float));
            });
            made.tables.push_back(table);
        }
        return made;
    });
}

}  // namespace saccade
