#include "gpu/language.h"
#include "gpu/ops/common.h"

// What detectors of phrases make of their logits.

namespace saccade {

void gauge_in_place(Commands& c, const Tensor& y, const Tensor& gauge) {
    constexpr const char* op = "gauge";
    require(y.type == Type::f32 && gauge.type == Type::f32 && gauge.columns == 2 &&
                gauge.batch == y.batch && gauge.rows == y.rows,
            op, y.shape() + " by " + gauge.shape());
    require_wide(y, op);
    require_wide(gauge, op);
    const params::GaugeParams p{view(y), view(gauge), y.columns};
    c.dispatch(Kernel(op, {c.device().is_cpu() ? 4u : 32u}), {padded(y.columns) / 4, y.rows, y.batch},
               {read_write(y), read(gauge)}, p);
}

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
    const params::MatchesParams p{view(logits), view(boxes),    view(found), logits.rows,
                                  logits.columns, picture.x, picture.y};
    c.dispatch(Kernel(op, {c.device().is_cpu() ? 4u : 64u}), {logits.rows, 1, logits.batch},
               {read(logits), read(boxes), write(found)}, p);
}

}  // namespace saccade
