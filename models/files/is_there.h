#pragma once

#include <filesystem>
#include <system_error>

namespace saccade {

// Whether the path exists; false if that cannot be determined.
inline bool is_there(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

}  // namespace saccade
