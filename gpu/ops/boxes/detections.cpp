#include "gpu/ops/boxes.h"

#include "gpu/ops/common.h"
#include "shaders/boxes/params.h"

namespace saccade {

void detections_into(Commands& c, const Tensor& y, const Tensor& logits, const Tensor& boxes,
                     uint32_t classes, Size picture) {
    constexpr const char* op = "detections";
    for (const Tensor* t : {&y, &boxes})
        require(t->batch == logits.batch && t->rows == logits.rows, op,
                t->shape() + " for " + logits.shape());
    require(classes > 0 && classes <= logits.columns && boxes.columns == 4 && y.columns == 7, op,
            logits.shape() + ", " + boxes.shape() + " into " + y.shape());
    for (const Tensor* t : {&logits, &boxes, &y})
        require(t->type == Type::f32, op, t->shape() + " is not f32");
    require_wide(boxes, op);
    require_wide(y, op);
    const uint32_t threads = row_threads(c);
    const params::DetectionsParams p{view(logits),
                                     view(boxes),
                                     view(y),
                                     logits.columns,
                                     classes,
                                     static_cast<float>(picture.x),
                                     static_cast<float>(picture.y)};
    c.dispatch(Kernel("detections", {threads}), {threads, logits.rows, logits.batch},
               {read(logits), read(boxes), write(y)}, p);
}

}  // namespace saccade
