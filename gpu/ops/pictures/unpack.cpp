#include "gpu/ops/pictures.h"

#include "gpu/ops/common.h"
#include "gpu/ops/pictures/pixels.h"
#include "shaders/pictures/params.h"

namespace saccade {

void unpack(Commands& c, const Image& image, const Pixels& pixels) {
    constexpr const char* op = "unpack";
    require_pixels(pixels, image, op);
    const params::UnpackParams p{image.width(), pixels.first_row, pixels.rows, pixels.row_bytes,
                                 pixels.bgr ? 1u : 0u};
    c.dispatch(Kernel("unpack", {pixel_threads(c)}), {divide_up(image.width(), 4), pixels.rows},
               {read(pixels.bytes), write(image)}, p);
}

}  // namespace saccade
