#pragma once

#include <cstdint>
#include <optional>

namespace saccade {

// How often this thread has called new so far; nullopt where a sanitizer replaces new.
std::optional<uint64_t> allocations();

}  // namespace saccade
