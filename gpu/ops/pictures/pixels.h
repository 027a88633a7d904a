#pragma once

#include <string>

#include "gpu/core/image.h"
#include "gpu/ops/common.h"
#include "gpu/ops/pictures.h"

namespace saccade {

// Packed pixels that hold the rows of the image that they say.
inline void require_pixels(const Pixels& pixels, const Image& image, const char* op) {
    require(pixels.rows > 0 && uint64_t(pixels.first_row) + pixels.rows <= image.height() &&
                pixels.row_bytes >= 3 * image.width() &&
                pixels.bytes.bytes >=
                    uint64_t(pixels.row_bytes) * (pixels.rows - 1) + 3 * uint64_t(image.width()) &&
                pixels.bytes.type == Type::u32 && pixels.bytes.offset == 0,
            op,
            "the buffer does not hold " + std::to_string(pixels.rows) + " rows of a picture of " +
                std::to_string(image.width()) + "x" + std::to_string(image.height()));
}

}  // namespace saccade
