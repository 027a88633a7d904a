#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace saccade {

// A file that is embedded in the program, by its name ("emoji.png"): from app/sources/synth/assets,
// or of a page (app/page, app/inspect, app/serve).
std::span<const std::byte> asset(std::string_view name);

}  // namespace saccade
