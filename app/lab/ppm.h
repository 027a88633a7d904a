#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace saccade {

struct PpmPicture {
    uint32_t width = 0;
    uint32_t height = 0;
    std::vector<uint8_t> rgb;  // (height, width, 3)
};

// Binary PPM (P6, 8 bits per channel), which needs no library, for saccade-lab and the tests.
// Convert with `convert PICTURE out.ppm` or `ffmpeg -i PICTURE out.ppm`.
PpmPicture read_ppm(const std::filesystem::path& path);

// Writes a temporary file and renames it, so that the final name never has half a picture.
void write_ppm(const std::filesystem::path& path, const PpmPicture& picture);

}  // namespace saccade
