#include "gpu/ops/draw.h"

#include "gpu/ops/common.h"
#include "gpu/ops/draw/checks.h"
#include "shaders/draw/params.h"

namespace saccade {

void draw_masks(Commands& c, const Image& image, const Masks& masks, const Tensor& found,
                const Tensor& settings, const Tensor& runs, uint32_t classes) {
    constexpr const char* op = "draw_masks";
    const uint32_t count = masks.logits.rows;
    require(masks.logits.type == Type::f32 && masks.logits.columns == area(masks.size) &&
                masks.list.type == Type::u32 && masks.list.rows == 2 &&
                masks.list.columns == count && found.type == Type::f32 && found.columns == 7,
            op, masks.logits.shape() + ", " + masks.list.shape() + " of " + found.shape());
    require_wide(found, op);
    require_words(settings, words_of<params::BoxSettings>(1) + classes, op, "settings");
    require_words(runs, words_of<params::Run>(classes), op, "labels");
    const params::DrawMasksParams p{.masks = view(masks.logits),
                                    .list = view(masks.list),
                                    .found = view(found),
                                    .count = count,
                                    .classes = classes,
                                    .columns = masks.size.x,
                                    .rows = masks.size.y,
                                    .width = image.width(),
                                    .height = image.height()};
    c.dispatch(Kernel(op, {pixel_threads(c)}), {image.width(), image.height()},
               {read_write(image), read(masks.logits), read(masks.list), read(found),
                read(settings), read(runs)},
               p);
}

}  // namespace saccade
