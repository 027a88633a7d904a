#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/frame/frame_result.h"

namespace saccade {

// "counts" of a line of FRAMES.jsonl: {"door": {"in": {"dog": 2}, "out": {}}}; a zone also has
// "inside". `labels` has the name of every class.
nlohmann::ordered_json json_of(const std::vector<RegionCounts>& counts,
                               std::span<const std::string> labels);

// A line of events.jsonl. `region` is the line or zone of the event; `source` and `label` are
// names.
nlohmann::ordered_json json_of(const RegionEvent& event, const RegionCounts& region,
                               const std::string& source, const std::string& label);

}  // namespace saccade
