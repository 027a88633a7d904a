#include "gpu/draw.h"
#include "gpu/ops/common.h"

namespace saccade {

namespace {

void require_words(const Tensor& t, uint64_t words, const char* op, const char* what) {
    require(t.type == Type::u32 && t.offset == 0 && t.bytes >= words * sizeof(uint32_t), op,
            std::string(what) + " " + t.shape() + " should be " + std::to_string(words) + " words");
}

}  // namespace

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

Tensor box_plates(Commands& c, const Tensor& found, const Tensor& settings, const Tensor& runs,
                  uint32_t classes, Extent frame, const params::LabelStyle& style) {
    constexpr const char* op = "box_plates";
    require(found.batch == 1 && found.columns == 6 && found.type == Type::f32, op,
            found.shape() + " is not what a detector found");
    require_wide(found, op);
    require_words(settings, words_of<params::BoxSettings>(1) + classes, op, "settings");
    require_words(runs, words_of<params::Run>(classes + 101), op, "runs");
    const Tensor plates = c.scratch(1, 1, plate_list_words(3 * found.rows), Type::u32);
    const params::BoxPlatesParams p{view(found), found.rows,   classes,
                                    frame.width, frame.height, style};
    const uint32_t threads = row_threads(c);
    c.dispatch(Kernel("box_plates", {threads}), {threads},
               {read(found), read(settings), read(runs), write(plates)}, p);
    return plates;
}

}  // namespace saccade
