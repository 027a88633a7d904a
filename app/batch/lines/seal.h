#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "app/batch/lines/clip_heat.h"
#include "app/io/digest.h"

namespace saccade {

// The length and checksum of a file, or of lines.
struct Sum {
    uint64_t bytes = 0;
    std::string sha256;
    bool operator==(const Sum&) const = default;
};

// Nothing if it cannot be read.
std::optional<Sum> sum_of(const std::filesystem::path& file);

// Of lines one after the other, with their ends.
class LineSum {
public:
    void add(std::string_view line);
    Sum finish();  // once

private:
    Digest digest_ = Digest::sha256();
    uint64_t bytes_ = 0;
};

// Says of what a piece of work consists. It is written when all of that is on the disk. Who goes on
// with the work trusts what fits its seal, and does the rest again.
struct Seal {
    std::optional<Sum> video;
    std::map<std::string, Sum> pictures = {};  // by file name
    std::optional<Sum> lines = {};
    std::optional<Sum> observed = {};  // what a tracker was told
    ClipHeat heat = {};                // of the maps that were drawn, if somebody wants it
    uint64_t pieces = 0;               // of a source

    void write(const std::filesystem::path& path) const;
    // Nothing if it is not there, or damaged.
    static std::optional<Seal> read(const std::filesystem::path& path);
};

}  // namespace saccade
