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
struct Checksum {
    uint64_t bytes = 0;
    std::string sha256;
    bool operator==(const Checksum&) const = default;
};

// The content of a file; nothing if it cannot be read.
std::optional<std::string> content_of(const std::filesystem::path& path);
// Nothing if the file cannot be read.
std::optional<Checksum> checksum_of(const std::filesystem::path& file);

// The checksum of lines, each with its newline.
class LineDigest {
public:
    void add(std::string_view line);
    Checksum finish();  // once

private:
    Digest digest_ = Digest::sha256();
    uint64_t bytes_ = 0;
};

// The files of a piece, with their checksums. It is written once they are all on disk. A resumed
// run keeps pieces that match their manifests, and processes the others again.
struct PieceManifest {
    std::optional<Checksum> video;
    std::map<std::string, Checksum> pictures = {};  // by file name
    std::optional<Checksum> lines = {};
    std::optional<Checksum> observed = {};  // the tracker's observations
    ClipHeat heat = {};                     // of the maps that were drawn, with --heat
    uint64_t pieces = 0;                    // of the source; only in the manifest of a source

    void write(const std::filesystem::path& path) const;
    // Nothing if it is missing or damaged.
    static std::optional<PieceManifest> read(const std::filesystem::path& path);
};

}  // namespace saccade
