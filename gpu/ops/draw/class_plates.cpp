#include "gpu/ops/draw.h"

#include "gpu/ops/common.h"
#include "gpu/ops/draw/checks.h"
#include "shaders/draw/params.h"

namespace saccade {

Tensor class_plates(Commands& c, const Top& top, const Tensor& settings, const Tensor& runs,
                    uint32_t classes, const ClassPanel& panel) {
    constexpr const char* op = "class_plates";
    const uint32_t ranks = top.values.columns;
    require(top.values.all_rows() == 1 && top.columns.all_rows() == 1 &&
                top.columns.columns == ranks && top.values.type == Type::f32 &&
                top.columns.type == Type::u32,
            op, top.values.shape() + " and " + top.columns.shape() + " are not one picture's");
    require_words(settings, words_of<params::ClassSettings>(1), op, "settings");
    require_words(runs, words_of<params::Run>(classes + 101), op, "runs");
    const Tensor plates = c.scratch(1, 1, plate_list_words(1 + 4 * ranks), Type::u32);
    const params::ClassPlatesParams p{view(top.values), view(top.columns), ranks,       classes,
                                      panel.left,       panel.top,         panel.width, panel.paper,
                                      panel.ink,        panel.style};
    c.dispatch(Kernel("class_plates", {row_threads(c)}), {ranks},
               {read(top.values), read(top.columns), read(settings), read(runs), write(plates)}, p);
    return plates;
}

}  // namespace saccade
