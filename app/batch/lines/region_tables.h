#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "app/track/regions.h"

namespace saccade {

struct RegionTables {
    std::filesystem::path events;  // a line of JSON for each time that a track goes in or out
    std::filesystem::path counts;  // a row for each source, line or zone, and class
};

// From the tracks of a FRAMES.jsonl. `names` says which source a line's "source" belongs to.
void write_region_tables(const std::filesystem::path& lines,
                         const std::map<std::string, size_t>& names, const Regions& regions,
                         const std::function<std::string(size_t source)>& name_of,
                         const RegionTables& to);

}  // namespace saccade
