#include "gpu/ops/boxes.h"

#include "gpu/ops/common.h"
#include "shaders/boxes/params.h"

namespace saccade {

void picked_detections_into(Commands& c, const Tensor& y, const Selected& found,
                            const Tensor& boxes, uint32_t classes, Size picture) {
    constexpr const char* op = "picked_detections";
    for (const Tensor* t : {&found.values, &boxes, &y}) require_wide_f32(*t, op);
    require_list(found.picks, y.batch, op);
    require(classes > 0 && y.columns == 7 && boxes.columns == 4 && boxes.batch == y.batch &&
                found.picks.columns == y.rows,
            op, found.picks.shape() + ", " + boxes.shape() + " into " + y.shape());
    const params::PickedDetectionsParams p{view(found.values),
                                           view(found.picks),
                                           view(boxes),
                                           view(y),
                                           classes,
                                           y.rows,
                                           static_cast<float>(picture.x),
                                           static_cast<float>(picture.y)};
    c.dispatch(Kernel(op, {pixel_threads(c)}), {y.rows, 1, y.batch},
               {read(found.values), read(found.picks), read(boxes), write(y)}, p);
}

}  // namespace saccade
