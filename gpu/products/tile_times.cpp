#include "gpu/products/tile_times.h"

#include <algorithm>

namespace saccade {

namespace {

constexpr double measured_depth = 768;

// The sum of squares of how much cost_of() is off.
double error_of(const Times& times, std::span<const TimedLoad> loads) {
    double sum = 0;
    for (const TimedLoad& l : loads) {
        const double off = cost_of(times, l.load) / l.us - 1;
        sum += off * off;
    }
    return sum;
}

}  // namespace

Load load_of(uint64_t groups, uint32_t splits, uint32_t cores, uint32_t depth) {
    return {(groups * splits + cores - 1) / cores, double(depth) / splits};
}

double cost_of(const Times& times, const Load& load) {
    const auto of_a_core = static_cast<double>(load.of_a_core);
    return std::max(times.alone, of_a_core * times.each) * load.depth / measured_depth +
           of_a_core * times.out;
}

Times fitted_times(std::span<const TimedLoad> loads) {
    if (loads.empty()) return {};
    double each = loads.front().us;
    for (const TimedLoad& l : loads)
        each = std::min(each, l.us / double(l.load.of_a_core) * measured_depth / l.load.depth);
    // One of them after the other is made a little larger or smaller as long as that helps, first
    // in large steps, then in small ones.
    Times best{each, each, each / 8};
    double error = error_of(best, loads);
    for (const double step : {1.5, 1.2, 1.1, 1.04, 1.02, 1.01, 1.004, 1.002}) {
        for (bool better = true; better;) {
            better = false;
            for (double Times::*const which : {&Times::alone, &Times::each, &Times::out})
                for (const double factor : {step, 1 / step}) {
                    Times other = best;
                    other.*which *= factor;
                    const double other_error = error_of(other, loads);
                    if (other_error >= error * (1 - 1e-9)) continue;
                    best = other;
                    error = other_error;
                    better = true;
                }
        }
    }
    return best;
}

}  // namespace saccade
