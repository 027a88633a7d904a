#include "gpu/boxes.h"

#include "gpu/ops/common.h"

namespace saccade {

namespace {

void require_boxes(const Tensor& t, const char* op) {
    require(t.columns == 4, op, t.shape() + " are not boxes");
    require_wide(t, op);
}

// Without a list and `again`: both are none.
void record_scaled(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference,
                   const Tensor& from, const Tensor& again) {
    constexpr const char* op = "scale_boxes";
    for (const Tensor* t : {&deltas, &reference, &to.boxes, &to.copy}) require_boxes(*t, op);
    for (const Tensor* t : {&deltas, &reference, &to.boxes})
        require(t->type == Type::f32, op, t->shape() + " is not f32");
    const uint32_t batch = to.boxes.batch, rows = to.boxes.rows;
    require(deltas.batch == batch && to.copy.batch == batch && to.copy.rows == rows, op,
            deltas.shape() + " into " + to.boxes.shape());
    const params::ScaleBoxesParams p{
        view(deltas), view(reference), from ? view(from) : params::View{},
        again ? view(again) : params::View{}, view(to.boxes), view(to.copy), rows};
    c.dispatch(Kernel(op, to.copy.type, {pixel_threads(c), from ? 1u : 0u, again ? 1u : 0u}),
               {rows, 1, batch},
               {read(deltas), read(reference), read(from ? from : reference),
                read(again ? again : reference), write(to.boxes), write(to.copy)},
               p);
}

}  // namespace

void scale_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference) {
    require(deltas.rows == to.boxes.rows && reference.rows == to.boxes.rows &&
                reference.batch == to.boxes.batch,
            "scale_boxes", deltas.shape() + " from " + reference.shape());
    record_scaled(c, to, deltas, reference, {}, {});
}

void scale_picked_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference,
                        const Tensor& from, const Tensor& again) {
    constexpr const char* op = "scale_picked_boxes";
    require_boxes(again, op);
    require(from.type == Type::u32 && from.batch == to.boxes.batch && from.rows == 1 &&
                from.columns == to.boxes.rows && again.rows == to.boxes.rows && again.batch == 1 &&
                again.type == Type::f32,
            op, "a list " + from.shape() + ", then " + again.shape());
    require(reference.batch == 1 && reference.rows == deltas.rows, op,
            deltas.shape() + " from " + reference.shape());
    record_scaled(c, to, deltas, reference, from, again);
}

void box_sines_into(Commands& c, const Tensor& y, const Tensor& boxes) {
    constexpr const char* op = "box_sines";
    require_boxes(boxes, op);
    require(boxes.type == Type::f32 && y.batch == boxes.batch && y.rows == boxes.rows &&
                y.columns % 16 == 0,
            op, boxes.shape() + " into " + y.shape());
    require_wide(y, op);
    const params::BoxSinesParams p{view(boxes), view(y), y.columns / 4};
    c.dispatch(Kernel(op, y.type, {pixel_threads(c)}), {y.columns / 4, y.rows, y.batch},
               {read(boxes), write(y)}, p);
}

}  // namespace saccade
