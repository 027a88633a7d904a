#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace saccade {

// Calls `use` for every whole line of a FRAMES.jsonl; one without an end, or that is no JSON, is
// what a killed run has left.
void for_lines(const std::filesystem::path& path,
               const std::function<void(const nlohmann::ordered_json& line)>& use);

// Makes one FRAMES.jsonl of several: the lines that are wanted, in the order of sources and frames,
// byte for byte as they were. `names` says which source a line's "source" belongs to. A file that
// is already like that is not written again.
void gather_lines(const std::vector<std::filesystem::path>& from, const std::filesystem::path& to,
                  const std::map<std::string, size_t>& names,
                  const std::function<bool(size_t source, uint64_t frame)>& wanted);

}  // namespace saccade
