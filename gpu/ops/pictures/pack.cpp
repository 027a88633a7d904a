#include "gpu/ops/pictures.h"

#include "gpu/ops/common.h"
#include "gpu/ops/pictures/pixels.h"
#include "shaders/pictures/params.h"

namespace saccade {

void pack(Commands& c, const Pixels& pixels, const Image& image) {
    constexpr const char* op = "pack";
    require_pixels(pixels, image, op);
    require(
        pixels.row_bytes % 4 == 0 && pixels.bytes.bytes >= uint64_t(pixels.row_bytes) * pixels.rows,
        op, "rows of " + std::to_string(pixels.row_bytes) + " bytes are not whole words");
    const params::PackParams p{image.width(), pixels.first_row, pixels.rows, pixels.row_bytes / 4,
                               pixels.bgr ? 1u : 0u};
    c.dispatch(Kernel("pack", {pixel_threads(c)}), {divide_up(image.width(), 4), pixels.rows},
               {read(image), write(pixels.bytes)}, p);
}

}  // namespace saccade
