#include "gpu/ops/draw.h"

#include "gpu/ops/common.h"
#include "gpu/ops/draw/checks.h"
#include "shaders/draw/params.h"

namespace saccade {

void draw_plates(Commands& c, const Image& image, const Tensor& plates, const Texts& texts) {
    constexpr const char* op = "draw_plates";
    require_words(plates, params::plate_list_header, op, "plates");
    require_words(texts.runs, 1, op, "runs");
    require_words(texts.glyphs, 1, op, "glyphs");
    require_words(texts.atlas, uint64_t(texts.atlas_side) * texts.atlas_side / 4, op, "an atlas");
    // A GPU has a thread for each pixel of a tile; software Vulkan a register full of them, and it
    // wants few and large tiles.
    struct {
        uint32_t threads_x, threads_y, width, height;
    } tile{16, 16, 16, 16};
    if (c.device().is_cpu()) tile = {4, 1, 64, 16};
    const params::DrawPlatesParams p{image.width(), image.height(), texts.atlas_side};
    c.dispatch(
        Kernel("draw_plates", {tile.threads_x, tile.threads_y, tile.width, tile.height}),
        {divide_up(image.width(), tile.width) * tile.threads_x,
         divide_up(image.height(), tile.height) * tile.threads_y},
        {read_write(image), read(plates), read(texts.runs), read(texts.glyphs), read(texts.atlas)},
        p);
}

}  // namespace saccade
