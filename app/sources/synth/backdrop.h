#pragma once

#include <cstdint>
#include <vector>

#include "app/sources/synth/painters.h"
#include "app/sources/synth/scene.h"

namespace saccade {

// Pixels as 0xRRGGBB.
struct Texture {
    int width = 0, height = 0;
    std::vector<uint32_t> pixels;

    uint32_t& at(int x, int y) { return pixels[size_t(y) * size_t(width) + size_t(x)]; }
    uint32_t at(int x, int y) const { return pixels[size_t(y) * size_t(width) + size_t(x)]; }
};

// Photographs that are embedded in the program.
struct BackdropPhotos {
    Texture brick, grass, gravel;  // grey, to be tinted
    Texture stars;
};
BackdropPhotos load_backdrop_photos();

// Paints the backdrop of a scene; `seed` chooses colours and patterns.
Texture make_backdrop(Backdrop backdrop, uint64_t seed, int width, int height,
                      const BackdropPhotos& photos, Painters& painters);

}  // namespace saccade
