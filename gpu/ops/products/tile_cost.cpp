#include "gpu/ops/products/tile_cost.h"

#include <algorithm>

namespace saccade {

Load load_of(uint64_t groups, uint32_t splits, uint32_t cores, uint32_t depth) {
    return {(groups * splits + cores - 1) / cores, double(depth) / splits};
}

double cost_of(const Times& times, const Load& load) {
    const auto of_a_core = static_cast<double>(load.of_a_core);
    return std::max(times.alone, of_a_core * times.each) * load.depth / measured_depth +
           of_a_core * times.out;
}

}  // namespace saccade
