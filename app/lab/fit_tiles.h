#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/lab/time_tiles.h"
#include "gpu/ops/products/tile_cost.h"

namespace saccade {

struct TimedLoad {
    Load load;
    double us;
};
// The times with which cost_of() is least wrong about these, by how much of each it is off. Times
// of which nothing is told are those of a core that has many: some loads should have one workgroup
// a core, some many, in different depths.
Times fitted_times(std::span<const TimedLoad> loads);

// Rows for the table of tiles on cooperative matrices in gpu/ops/products/tile_table.cpp, with the
// times that explain best what was measured, and by how much they are off.
std::vector<std::string> fitted_rows(std::span<const TileTime> times);

}  // namespace saccade
