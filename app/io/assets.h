#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace saccade {

// A file of app/sources/assets, or of a page (app/page, app/inspect, app/serve), which is part of
// the program: "emoji.png".
std::span<const std::byte> asset(std::string_view name);

}  // namespace saccade
