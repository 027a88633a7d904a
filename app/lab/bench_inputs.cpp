#include "app/lab/bench_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gpu/ops/products.h"
#include "gpu/recorder/commands.h"
#include "gpu/recorder/upload.h"
#include "models/files/half.h"

namespace saccade {

Tensor BenchInputs::random(uint32_t batch, uint32_t rows, uint32_t columns, Type type,
                           float scale) {
    const uint64_t bytes = tensor_bytes(batch, rows, columns, type);
    buffers_.emplace_back(engine_.device(), "bench input", bytes, Memory::device);
    const Tensor result = make_tensor(buffers_.back().handle(), 0, batch, rows, columns, type);
    // A linear congruential generator, fast enough for hundreds of millions of numbers.
    auto uniform = [&] {
        state_ = state_ * 1664525u + 1013904223u;
        return scale * 0x1p-31f * static_cast<float>(static_cast<int32_t>(state_));
    };
    upload(engine_.device(), result, [&](std::span<std::byte> staged) {
        for (uint64_t row = 0; row < uint64_t(batch) * rows; ++row)
            for (uint32_t j = 0; j < columns; ++j) {
                const float value = uniform();
                const uint64_t at = row * result.row_stride + j;
                if (type == Type::f16) {
                    const uint16_t half = half_from_float(value);
                    std::memcpy(&staged[at * 2], &half, 2);
                } else {
                    std::memcpy(&staged[at * 4], &value, 4);
                }
            }
    });
    return result;
}

Tensor BenchInputs::fragments(const Tensor& weight) {
    const FragmentsSize size = fragments_size(engine_.device(), weight);
    if (!size) return {};
    const uint64_t bytes = tensor_bytes(1, size.rows, size.columns, Type::f16);
    buffers_.emplace_back(engine_.device(), "bench fragments", bytes, Memory::device);
    const Tensor to =
        make_tensor(buffers_.back().handle(), 0, 1, size.rows, size.columns, Type::f16);
    Commands c(engine_.device(), engine_.scratch(), "bench input");
    c.begin();
    fragments_into(c, to, weight);
    c.end();
    c.run();
    return to;
}

double difference(const std::vector<float>& a, const std::vector<float>& b) {
    double worst = 0, largest = 1e-30;
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        if (i >= a.size() || i >= b.size() || !std::isfinite(a[i])) return INFINITY;
        worst = std::max(worst, std::abs(double(a[i]) - double(b[i])));
        largest = std::max(largest, std::abs(double(b[i])));
    }
    return worst / largest;
}

}  // namespace saccade
