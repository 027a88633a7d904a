#pragma once

#include "gpu/ops/common.h"
#include "gpu/ops/products.h"

namespace saccade {

inline void require_linear(const char* op, const Tensor& y, const Tensor& x, const Linear& w) {
    require(w.weight.columns == x.columns && w.weight.rows == y.columns && w.weight.batch == 1 &&
                w.weight.offset == 0,
            op, x.shape() + " x " + w.weight.shape() + " does not give " + y.shape());
    require(x.batch == y.batch && x.rows == y.rows, op,
            x.shape() + " has other rows than " + y.shape());
    require(!w.bias || (w.bias.columns == y.columns && w.bias.type == Type::f32), op,
            "bias " + w.bias.shape() + " for " + y.shape());
    for (const Tensor* t : {&x, &y, &w.weight}) require_wide(*t, op);
}

// A row of each batch is a row of one batch: then the weights are read once for all.
inline Tensor joined(const Tensor& t) { return t.rows == 1 ? t.batches_as_rows() : t; }

}  // namespace saccade
