#include "gpu/ops/boxes.h"

#include "gpu/ops/common.h"
#include "shaders/boxes/params.h"

namespace saccade {

void matches_into(Commands& c, const Tensor& found, const Tensor& logits, const Tensor& boxes,
                  glm::vec2 picture) {
    constexpr const char* op = "matches";
    constexpr uint32_t columns = 7;
    require(logits.type == Type::f32 && boxes.type == Type::f32 && found.type == Type::f32 &&
                logits.columns > 0 && boxes.columns == 4 && found.columns == columns &&
                boxes.rows == logits.rows && found.rows == logits.rows &&
                boxes.batch == logits.batch && found.batch == logits.batch,
            op, logits.shape() + " and " + boxes.shape() + " into " + found.shape());
    require_wide(boxes, op);
    require_wide(found, op);
    const params::MatchesParams p{view(logits),   view(boxes), view(found), logits.rows,
                                  logits.columns, picture.x,   picture.y};
    c.dispatch(Kernel(op, {pixel_threads(c)}), {logits.rows, 1, logits.batch},
               {read(logits), read(boxes), write(found)}, p);
}

}  // namespace saccade
