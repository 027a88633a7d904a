#include "gpu/boxes.h"

#include "gpu/ops/common.h"

namespace saccade {

namespace {

void require_boxes(const Tensor& t, const char* op) {
    require(t.columns == 4, op, t.shape() + " are not boxes");
    require_wide(t, op);
}

}  // namespace

void scale_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference,
                 const Tensor& from) {
    constexpr const char* op = "scale_boxes";
    const uint32_t batch = to.boxes.batch, rows = to.boxes.rows;
    for (const Tensor* t : {&deltas, &reference, &to.boxes, &to.copy}) require_boxes(*t, op);
    for (const Tensor* t : {&deltas, &reference, &to.boxes})
        require(t->type == Type::f32, op, t->shape() + " is not f32");
    require((deltas.batch == batch || deltas.batch == 1) && deltas.rows == rows &&
                to.copy.batch == batch && to.copy.rows == rows,
            op, deltas.shape() + " into " + to.boxes.shape());
    require(from ? from.type == Type::u32 && from.batch == batch && from.columns == rows &&
                       reference.batch == 1
                 : reference.batch == batch && reference.rows == rows,
            op, "from " + reference.shape());
    params::RefineBoxesParams p{
        view(deltas),   view(reference), from ? view(from) : params::View{},
        view(to.boxes), view(to.copy),   rows};
    if (deltas.batch < batch) p.deltas.batch_stride = 0;  // every batch meets the same
    c.dispatch(Kernel(op, to.copy.type, {pixel_threads(c), from ? 1u : 0u}), {rows, 1, batch},
               {read(deltas), read(reference), read(from ? from : reference), write(to.boxes),
                write(to.copy)},
               p);
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

void norm_activate_into(Commands& c, const Tensor& y, const Tensor& x, const Norm& w,
                        Activation activation) {
    constexpr const char* op = "norm_activate";
    require_norm(w, x, op);
    require_wide(x, op);
    require_wide(y, op);
    require(y.batch == x.batch && y.rows == x.rows && y.columns == x.columns, op,
            x.shape() + " into " + y.shape());
    const uint32_t threads = row_threads(c);
    const params::LayerNormParams p{view(x), view(y), x.rows, x.columns, w.eps};
    c.dispatch(Kernel(op, x.type, y.type, {threads, 0u, static_cast<uint32_t>(activation)}),
               {threads, x.rows, x.batch}, {read(x), read(w.weight), read(w.bias), write(y)}, p);
}

}  // namespace saccade
