#include "gpu/ops/boxes.h"

#include "gpu/ops/boxes/moved_boxes.h"
#include "gpu/ops/common.h"
#include "gpu/ops/links.h"
#include "shaders/boxes/params.h"

namespace saccade {

namespace {

// Without a list where `from` is none.
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
    if (!link_refine_boxes(c, to, deltas, reference))
        record_refined(c, to, deltas, reference, {});
}

void refine_picked_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& logits,
                         const Tensor& from) {
    require_picked_boxes("refine_picked_boxes", to, deltas, logits, from);
    record_refined(c, to, deltas, logits, from);
}

void move_boxes(Commands& c, const Boxes& boxes, const Tensor& placed, const Tensor& x,
                const Linear& deltas, const Linear& place, Activation activation) {
    constexpr const char* op = "move_boxes";
    require(x.batch == boxes.boxes.batch && x.rows == boxes.boxes.rows &&
                x.columns == deltas.weight.columns && deltas.weight.rows == 4 &&
                place.weight.columns == 4 && place.weight.rows == placed.columns &&
                placed.rows == x.rows && placed.batch == x.batch,
            op, x.shape() + " to " + placed.shape());
    if (link_move_boxes(c, boxes, placed, x, deltas, place, activation)) return;
    auto scope = c.scope(op);
    const Tensor moves = c.scratch(x.batch, x.rows, 4, Type::f32);
    linear_into(c, moves, x, deltas);
    refine_boxes(c, boxes, moves, boxes.boxes);
    linear_into(c, placed, boxes.copy, place, activation);
}

}  // namespace saccade
