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

// Binary PPM (P6, 8 bits a channel): the picture format that needs no library, for saccade-lab and
// the tests. Convert with `convert PICTURE out.ppm` or `ffmpeg -i PICTURE out.ppm`.
PpmPicture read_ppm(const std::filesystem::path& path);

// Written beside and renamed, so that the final name never holds half a picture.
void write_ppm(const std::filesystem::path& path, const PpmPicture& picture);

}  // namespace saccade
