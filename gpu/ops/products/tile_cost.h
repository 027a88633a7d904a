#pragma once

#include <cstdint>

namespace saccade {

constexpr double measured_depth = 768;

// How long workgroups with tiles of one shape take, in microseconds: measured_depth for one that
// has a core to itself, which mostly waits for memory, and for every one of a core that has many;
// and the way out of the sums.
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

// The microseconds that it is expected to take, without the cost of splits.
double cost_of(const Times& times, const Load& load);

}  // namespace saccade
