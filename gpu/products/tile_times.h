#pragma once

#include <cstdint>
#include <span>

namespace saccade {

// How long workgroups with tiles of one shape take, in microseconds: the depth of 768 for one that
// has a core to itself, which mostly waits for memory, and for every one of a core that has many;
// and the way out of the sums.
struct Times {
    double alone, each, out;
};

// What a product asks of a device in tiles of one shape.
struct Load {
    uint64_t of_a_core;  // workgroups that the busiest core has
    double depth;        // of each
};
// `groups` tiles, each shared by `splits` workgroups.
Load load_of(uint64_t groups, uint32_t splits, uint32_t cores, uint32_t depth);

// How long it is likely to take, but for what splits cost.
double cost_of(const Times& times, const Load& load);

struct TimedLoad {
    Load load;
    double us;
};
// The times with which cost_of() is least wrong about these, by how much of each it is off. Times
// of which nothing is told are those of a core that has many: some loads should have one workgroup
// a core, some many, in different depths.
Times fitted_times(std::span<const TimedLoad> loads);

}  // namespace saccade
