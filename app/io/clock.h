#pragma once

#include <chrono>

namespace saccade {

inline double ms_since(std::chrono::steady_clock::time_point begin) {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(now - begin).count();
}

}  // namespace saccade
