#include "gpu/sampling.h"

#include "gpu/ops/common.h"
#include "gpu/ops/links.h"

namespace saccade {

namespace {

// Boxes, and what they are made of by one of the operations below, which reads rows as f32.
void require_boxes(const char* op, const Boxes& to, const Tensor& deltas, const Tensor& reference) {
    for (const Tensor* t : {&deltas, &reference, &to.boxes, &to.copy}) {
        require(t->columns == 4, op, t->shape() + " are not boxes");
        require_wide(*t, op);
    }
    for (const Tensor* t : {&deltas, &reference, &to.boxes})
        require(t->type == Type::f32, op, t->shape() + " is not f32");
    for (const Tensor* t : {&to.boxes, &to.copy})
        require(t->batch == deltas.batch && t->rows == to.boxes.rows, op,
                deltas.shape() + " into " + t->shape());
}
// Of each box its own.
void require_alike(const char* op, const Boxes& to, const Tensor& deltas, const Tensor& reference) {
    require_boxes(op, to, deltas, reference);
    require(deltas.rows == to.boxes.rows && reference.rows == to.boxes.rows &&
                reference.batch == deltas.batch,
            op, deltas.shape() + " from " + reference.shape());
}
// Rows of tables, picked by a list.
void require_picked(const char* op, const Boxes& to, const Tensor& deltas, const Tensor& reference,
                    const Tensor& from) {
    require_boxes(op, to, deltas, reference);
    require(reference.batch == 1 && reference.rows == deltas.rows, op,
            deltas.shape() + " from " + reference.shape());
    require(from.type == Type::u32 && from.rows == 1 && from.batch == deltas.batch &&
                from.columns == to.boxes.rows,
            op, "a list " + from.shape() + " for " + to.boxes.shape());
}

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

// Without a list, and without being moved again, where these are none.
void record_scaled(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference,
                   const Tensor& from, const Tensor& again) {
    const params::ScaleBoxesParams p{
        view(deltas), view(reference), from ? view(from) : params::View{},
        again ? view(again) : params::View{}, view(to.boxes), view(to.copy), to.boxes.rows};
    c.dispatch(
        Kernel("scale_boxes", to.copy.type, {pixel_threads(c), from ? 1u : 0u, again ? 1u : 0u}),
        {to.boxes.rows, 1, to.boxes.batch},
        {read(deltas), read(reference), read(from ? from : reference),
         read(again ? again : reference), write(to.boxes), write(to.copy)},
        p);
}

}  // namespace

void refine_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference) {
    require_alike("refine_boxes", to, deltas, reference);
    if (!link_refine_boxes(c, to, deltas, reference))
        record_refined(c, to, deltas, reference, {});
}

void refine_picked_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& logits,
                         const Tensor& from) {
    require_picked("refine_picked_boxes", to, deltas, logits, from);
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

void scale_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference) {
    require_alike("scale_boxes", to, deltas, reference);
    record_scaled(c, to, deltas, reference, {}, {});
}

void scale_picked_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference,
                        const Tensor& from, const Tensor& again) {
    constexpr const char* op = "scale_picked_boxes";
    require_picked(op, to, deltas, reference, from);
    require(again.columns == 4 && again.type == Type::f32 && again.rows == to.boxes.rows &&
                again.batch == 1,
            op, again.shape() + " for " + to.boxes.shape());
    require_wide(again, op);
    record_scaled(c, to, deltas, reference, from, again);
}

void box_sines_into(Commands& c, const Tensor& y, const Tensor& boxes) {
    constexpr const char* op = "box_sines";
    require(boxes.columns == 4 && boxes.type == Type::f32 && y.batch == boxes.batch &&
                y.rows == boxes.rows && y.columns % 16 == 0,
            op, boxes.shape() + " into " + y.shape());
    require_wide(boxes, op);
    require_wide(y, op);
    const params::BoxSinesParams p{view(boxes), view(y), y.columns / 4};
    c.dispatch(Kernel(op, y.type, {pixel_threads(c)}), {y.columns / 4, y.rows, y.batch},
               {read(boxes), write(y)}, p);
}

}  // namespace saccade
