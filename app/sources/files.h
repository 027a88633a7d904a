#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace saccade {

using WantedFile = bool (*)(const std::filesystem::path&);

// The files of a folder (not below), or those that a glob matches, as far as they are wanted; in
// the order of a person, who puts frame9 before frame10. Hidden ones of a folder are left out.
std::vector<std::filesystem::path> find_files(const std::string& text, WantedFile wanted);

}  // namespace saccade
