#include "gpu/ops/draw.h"

#include "gpu/ops/common.h"
#include "gpu/ops/draw/checks.h"
#include "shaders/draw/params.h"

namespace saccade {

Tensor box_plates(Commands& c, const Tensor& found, const Tensor& settings, const Tensor& runs,
                  uint32_t classes, Size frame, const params::LabelStyle& style) {
    constexpr const char* op = "box_plates";
    require(found.batch == 1 && found.columns >= 7 && found.type == Type::f32, op,
            found.shape() + " is not what a detector found");
    require_wide(found, op);
    require_words(settings, words_of<params::BoxSettings>(1) + classes, op, "settings");
    require_words(runs, words_of<params::Run>(classes + 101), op, "runs");
    const Tensor plates = c.scratch(1, 1, plate_list_words(3 * found.rows), Type::u32);
    const params::BoxPlatesParams p{view(found), found.rows, classes, frame.x, frame.y, style};
    const uint32_t threads = row_threads(c);
    c.dispatch(Kernel("box_plates", {threads}), {threads},
               {read(found), read(settings), read(runs), write(plates)}, p);
    return plates;
}

}  // namespace saccade
