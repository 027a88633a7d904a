#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace saccade {

// Writes an array of floats in NumPy's file format, version 1.0. The file gets its name only when
// it is complete.
void write_npy(const std::filesystem::path& path, std::span<const uint64_t> shape,
               std::span<const float> values);

}  // namespace saccade
