#pragma once

#include <cstdint>
#include <optional>

namespace saccade {

// How often this thread has taken memory with new so far. Nothing where a sanitizer has taken new's
// place.
std::optional<uint64_t> allocations();

}  // namespace saccade
