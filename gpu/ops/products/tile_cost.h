#pragma once

#include <cstdint>

namespace saccade {

constexpr double measured_depth = 768;

// How long a workgroup with tiles of one shape takes, in microseconds: `alone` for measured_depth
// where it has a core to itself and mostly waits for memory, `each` where a core has many of them,
// and `out` for writing the sums.
struct Times {
    double alone, each, out;
};

// The load of a product on the device, in tiles of one shape.
struct Load {
    uint64_t of_a_core;  // workgroups that the busiest core has
    double depth;        // of each
};
// `groups` tiles, each shared by `splits` workgroups.
Load load_of(uint64_t groups, uint32_t splits, uint32_t cores, uint32_t depth);

// The expected microseconds of a load, without the cost of splits.
double cost_of(const Times& times, const Load& load);

}  // namespace saccade
