#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/frame/frame_result.h"

namespace saccade {

// "counts" of a line: {"door": {"in": {"dog": 2}, "out": {}}}; a zone also has who is "inside".
// `labels` has the name of every class.
nlohmann::ordered_json json_of(const std::vector<RegionCounts>& counts,
                               std::span<const std::string> labels);

}  // namespace saccade
