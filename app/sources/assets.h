#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace saccade {

// A file of app/sources/assets, which is part of the program: "emoji.png".
std::span<const std::byte> asset(std::string_view name);

}  // namespace saccade
