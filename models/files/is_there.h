#pragma once

#include <filesystem>
#include <system_error>

namespace saccade {

// Whether there is something under this name; false also where it cannot be known.
inline bool is_there(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

}  // namespace saccade
