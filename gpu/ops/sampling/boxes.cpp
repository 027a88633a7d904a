#include "gpu/sampling.h"

#include "gpu/ops/common.h"

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

// Of boxes that were picked: which they are, what moves them once more, and their sines.
struct Picked {
    Tensor from, again, sines;
};
void record_scaled(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference,
                   const Picked* picked) {
    const uint32_t rows = to.boxes.rows;
    params::ScaleBoxesParams p{.deltas = view(deltas),
                               .reference = view(reference),
                               .from = {},
                               .again = {},
                               .boxes = view(to.boxes),
                               .copy = view(to.copy),
                               .y = {},
                               .count = rows,
                               .numbers = 0};
    Threads threads{rows, 1, to.boxes.batch};
    if (picked) {
        p.from = view(picked->from);
        p.again = view(picked->again);
        p.y = view(picked->sines);
        p.numbers = picked->sines.columns / 4;
        threads = {p.numbers, rows, to.boxes.batch};
    }
    c.dispatch(Kernel("scale_boxes", to.copy.type, {pixel_threads(c), picked ? 1u : 0u}), threads,
               {read(deltas), read(reference), read(picked ? picked->from : reference),
                read(picked ? picked->again : reference), write(to.boxes), write(to.copy),
                picked ? write(picked->sines) : read(reference)},
               p);
}

}  // namespace

void refine_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference) {
    require_alike("refine_boxes", to, deltas, reference);
    record_refined(c, to, deltas, reference, {});
}

void refine_picked_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& logits,
                         const Tensor& from) {
    require_picked("refine_picked_boxes", to, deltas, logits, from);
    record_refined(c, to, deltas, logits, from);
}

void scale_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference) {
    require_alike("scale_boxes", to, deltas, reference);
    record_scaled(c, to, deltas, reference, nullptr);
}

void scale_picked_boxes(Commands& c, const Boxes& to, const Tensor& sines, const Tensor& deltas,
                        const Tensor& reference, const Tensor& from, const Tensor& again) {
    constexpr const char* op = "scale_picked_boxes";
    require_picked(op, to, deltas, reference, from);
    require(again.columns == 4 && again.type == Type::f32 && again.rows == to.boxes.rows &&
                again.batch == 1,
            op, again.shape() + " for " + to.boxes.shape());
    require(sines.batch == to.boxes.batch && sines.rows == to.boxes.rows && sines.columns > 0 &&
                sines.columns % 16 == 0 && sines.type == to.copy.type,
            op, sines.shape() + " of " + to.copy.shape());
    require_wide(again, op);
    require_wide(sines, op);
    const Picked picked{from, again, sines};
    record_scaled(c, to, deltas, reference, &picked);
}

}  // namespace saccade
