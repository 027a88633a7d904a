#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/batch/lines/seal.h"

namespace saccade {

// Calls `use` for every whole line of a FRAMES.jsonl; one without an end, or that is no JSON, is
// what a killed run has left. An Error if `use` misses something in one.
void for_lines(const std::filesystem::path& path,
               const std::function<void(const nlohmann::ordered_json& line)>& use);

// The sum of the lines of each source and piece, in the order of the file.
using PieceLines = std::map<std::pair<size_t, uint64_t>, Sum>;
PieceLines sum_lines(const std::filesystem::path& path, const std::map<std::string, size_t>& names,
                     const std::function<uint64_t(uint64_t frame)>& piece_of);

// Makes one FRAMES.jsonl of several: the lines that are wanted, in the order of sources and frames,
// byte for byte as they were. `names` says which source a line's "source" belongs to. A file that
// is already like that is not written again.
void gather_lines(const std::vector<std::filesystem::path>& from, const std::filesystem::path& to,
                  const std::map<std::string, size_t>& names,
                  const std::function<bool(size_t source, uint64_t frame)>& wanted);

}  // namespace saccade
