#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace saccade {

// RFC 4648, section 4: four letters for three bytes.
std::string base64(std::span<const std::byte> bytes);

// The bytes of a vector or array.
template <typename Elements>
std::string base64_of(const Elements& elements) {
    return base64(std::as_bytes(std::span(elements)));
}

}  // namespace saccade
