#include "gpu/ops/common.h"

#include <algorithm>

namespace saccade {

std::vector<Part> parts_of(const Tensor& table, const Limits& limits) {
    if (table.bytes <= limits.storage_range) return {{table, 0}};
    constexpr uint32_t row_step = 64;
    const uint64_t row_bytes = uint64_t(table.row_stride) * bytes_of(table.type);
    const uint64_t most = limits.storage_range / row_bytes / row_step * row_step;
    require(most > 0 && table.offset == 0 && table.batch == 1, "a large table",
            table.shape() + " cannot be split");
    std::vector<Part> parts;
    for (uint32_t first = 0; first < table.rows;) {
        const auto count = static_cast<uint32_t>(std::min<uint64_t>(most, table.rows - first));
        Tensor part = table;
        part.base += first * row_bytes;
        part.rows = count;
        part.bytes = count * row_bytes;
        parts.push_back({part, first});
        first += count;
    }
    return parts;
}

}  // namespace saccade
