#pragma once

#include "gpu/ops/boxes.h"
#include "gpu/ops/common.h"

namespace saccade {

// Checks boxes and the deltas that move them, which kernels read as f32.
inline void require_boxes(const char* op, const Boxes& to, const Tensor& deltas,
                          const Tensor& reference) {
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

// A delta and a reference for each box.
inline void require_own_boxes(const char* op, const Boxes& to, const Tensor& deltas,
                              const Tensor& reference) {
    require_boxes(op, to, deltas, reference);
    require(deltas.rows == to.boxes.rows && reference.rows == to.boxes.rows &&
                reference.batch == deltas.batch,
            op, deltas.shape() + " from " + reference.shape());
}

// Rows of tables, picked by a list.
inline void require_picked_boxes(const char* op, const Boxes& to, const Tensor& deltas,
                                 const Tensor& reference, const Tensor& from) {
    require_boxes(op, to, deltas, reference);
    require(reference.batch == 1 && reference.rows == deltas.rows, op,
            deltas.shape() + " from " + reference.shape());
    require(from.type == Type::u32 && from.rows == 1 && from.batch == deltas.batch &&
                from.columns == to.boxes.rows,
            op, "a list " + from.shape() + " for " + to.boxes.shape());
}

}  // namespace saccade
