#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace saccade {

using WantedFile = bool (*)(const std::filesystem::path&);

// The files of a folder (not of its subfolders), or those that match a glob, filtered by `wanted`
// and in natural order: frame9 before frame10. Hidden files of a folder are skipped.
std::vector<std::filesystem::path> find_files(const std::string& text, WantedFile wanted);

}  // namespace saccade
