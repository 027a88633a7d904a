#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace saccade {

// A file of app/sources/assets, or of the report's page in app/inspect, which is part of the
// program: "emoji.png".
std::span<const std::byte> asset(std::string_view name);

}  // namespace saccade
