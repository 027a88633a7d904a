#include "gpu/ops/boxes.h"

#include "gpu/ops/boxes/moved_boxes.h"
#include "gpu/ops/common.h"
#include "shaders/boxes/params.h"

namespace saccade {

namespace {

// `from` may be none: then rows are not picked by a list.
void record_refined(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference,
                    const Tensor& from) {
    const params::RefineBoxesParams p{
        view(deltas),   view(reference), from ? view(from) : params::View{},
        view(to.boxes), view(to.copy),   to.boxes.rows};
    c.dispatch(Kernel("refine_boxes", to.copy.type, {pixel_threads(c), from ? 1u : 0u}),
               {to.boxes.rows, 1, to.boxes.batch},
               {read(deltas), read(reference), read(from ? from : reference), write(to.boxes),
                write(to.copy)},
               p);
}

}  // namespace

void refine_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference) {
    require_own_boxes("refine_boxes", to, deltas, reference);
    record_refined(c, to, deltas, reference, {});
}

void refine_picked_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& logits,
                         const Tensor& from) {
    require_picked_boxes("refine_picked_boxes", to, deltas, logits, from);
    record_refined(c, to, deltas, logits, from);
}

}  // namespace saccade
