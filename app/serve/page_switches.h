#pragma once

#include <nlohmann/json_fwd.hpp>

namespace saccade {

// The switches that each viewer has alone, from the table of controls, for the page to build. They
// begin with their defaults.
nlohmann::json page_switches();

}  // namespace saccade
