#include "gpu/ops/boxes.h"

#include "gpu/ops/common.h"
#include "shaders/boxes/params.h"

namespace saccade {

void edge_boxes(Commands& c, const EdgeBoxes& to, const Tensor& corners, const Tensor& reference,
                const Tensor& weights, float scale, uint32_t best) {
    constexpr const char* op = "edge_boxes";
    const auto& [boxes, copy] = to.boxes;
    for (const Tensor* t : {&corners, &reference, &weights, &boxes}) require_f32(*t, op);
    for (const Tensor* t : {&reference, &boxes, &copy}) {
        require_same_rows(*t, corners, op);
        require(t->columns == 4, op, t->shape() + " are not boxes");
        require_wide(*t, op);
    }
    const uint32_t bins = weights.columns;
    require(corners.columns == 4 * bins && weights.all_rows() == 1 && weights.offset == 0 &&
                best <= bins,
            op, corners.shape() + " with weights " + weights.shape());
    const Tensor& told = to.statistics;
    if (told) {
        require_f32(told, op);
        require_same_rows(told, corners, op);
        require(told.columns == 4 * (best + 1), op, corners.shape() + " into " + told.shape());
    }
    const params::EdgeBoxesParams p{view(corners), view(reference), view(boxes), view(copy),
                                    view(told),    corners.rows,    bins,        best,
                                    scale};
    const uint32_t at_once = c.device().is_cpu() ? 1 : 16;
    c.dispatch(Kernel(op, copy.type, {at_once, told ? 1u : 0u}), {4, corners.rows, corners.batch},
               {read(corners), read(reference), read(weights), write(boxes), write(copy),
                told ? write(told) : read(corners)},
               p);
}

}  // namespace saccade
