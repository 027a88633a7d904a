#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "app/track/regions.h"

namespace saccade {

struct RegionTables {
    std::filesystem::path events;  // a line of JSON for each crossing, entry and exit of a track
    std::filesystem::path counts;  // a row for each source, line or zone, and class
};

// Writes both tables from the tracks of a FRAMES.jsonl. `names` maps a line's "source" to its
// index.
void write_region_tables(const std::filesystem::path& lines,
                         const std::map<std::string, size_t>& names, const Regions& regions,
                         const std::function<std::string(size_t source)>& name_of,
                         const RegionTables& to);

}  // namespace saccade
