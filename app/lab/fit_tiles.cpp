#include "app/lab/fit_tiles.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace saccade {

namespace {

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

std::vector<std::string> fitted_rows(std::span<const TileTime> times) {
    std::vector<std::string> shapes;
    for (const TileTime& t : times)
        if (!t.shape.empty() && t.us > 0 && std::ranges::find(shapes, t.shape) == shapes.end())
            shapes.push_back(t.shape);
    std::vector<std::string> rows;
    for (const std::string& shape : shapes) {
        std::vector<TimedLoad> loads;
        for (const TileTime& t : times)
            if (t.shape == shape && t.us > 0)
                loads.push_back({{t.of_a_core, double(t.depth)}, t.us});
        const Times fit = fitted_times(loads);
        double off = 0;
        for (const TimedLoad& l : loads)
            off = std::max(off, std::abs(cost_of(fit, l.load) / l.us - 1));
        char text[128];
        std::snprintf(text, sizeof text,
                      "{%s, {%.1f, %.1f, %.1f}},  // %zu products, within %.0f %%", shape.c_str(),
                      fit.alone, fit.each, fit.out, loads.size(), 100 * off);
        rows.emplace_back(text);
    }
    return rows;
}

}  // namespace saccade
