#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace saccade {

// SHA-256 (FIPS 180-4) in one call. Synthetic weights are defined by it, and saccade-lab, which
// makes them, is built without libcrypto. Downloads are checked by app/io/digest.h.
std::array<uint8_t, 32> sha256(std::span<const std::byte> bytes);
std::array<uint8_t, 32> sha256(std::string_view text);

}  // namespace saccade
