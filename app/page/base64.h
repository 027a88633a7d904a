#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace saccade {

// RFC 4648, section 4: four letters for three bytes.
std::string base64(std::span<const std::byte> bytes);

}  // namespace saccade
