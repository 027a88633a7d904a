#pragma once

#include <cstdint>
#include <filesystem>

namespace saccade {

struct MergeOutcome {
    uint32_t parts = 0;
    bool failed = false;  // a source had failed in its part, or could not be joined
};

// Joins the parts that runs with shards have written into a folder: the result is what a single run
// would have written. An Error if a part is missing, unfinished, damaged, or of another run.
MergeOutcome merge_parts(const std::filesystem::path& folder, bool quiet);

}  // namespace saccade
