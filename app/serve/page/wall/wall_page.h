#pragma once

#include <string>

#include "app/serve/page/live_page.h"

namespace saccade {

// The page of a wall: small pictures of all sources, each with a link to its own page.
LivePage wall_page(const std::string& title);

}  // namespace saccade
