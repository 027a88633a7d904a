#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/batch/lines/manifest.h"

namespace saccade {

// Calls `use` for every complete line of a FRAMES.jsonl. A line without an end or that is no JSON
// comes from a killed run, and is skipped. An Error if `use` does not find a key that it needs.
void for_lines(const std::filesystem::path& path,
               const std::function<void(const nlohmann::ordered_json& line)>& use);

// The checksum of the lines of each (source, piece), in the order of the file.
using PieceLines = std::map<std::pair<size_t, uint64_t>, Checksum>;
PieceLines checksum_lines(const std::filesystem::path& path,
                          const std::map<std::string, size_t>& names,
                          const std::function<uint64_t(uint64_t frame)>& piece_of);

// Merges several FRAMES.jsonl into one: the lines that `wanted` accepts, in the order of sources
// and frames, byte for byte. `names` maps a line's "source" to its index. A file that is already in
// this state is not written again.
void gather_lines(const std::vector<std::filesystem::path>& from, const std::filesystem::path& to,
                  const std::map<std::string, size_t>& names,
                  const std::function<bool(size_t source, uint64_t frame)>& wanted);

}  // namespace saccade
