#pragma once

#include "gpu/ops/attention.h"
#include "gpu/ops/common.h"

namespace saccade {

inline void require_additive(const char* op, const Tensor& q, const Tensor& k,
                             const Additive& how) {
    require(q.type == Type::f32 && k.columns == q.columns && k.batch == q.batch && k.rows > 0 &&
                k.type != Type::u32,
            op, "q " + q.shape() + " and k " + k.shape());
    require(how.weight.type == Type::f32 && how.weight.offset == 0 && how.weight.all_rows() == 1 &&
                how.weight.columns == k.columns,
            op, "weights " + how.weight.shape() + " for " + k.shape());
    require_wide(q, op);
    require_wide(k, op);
}

}  // namespace saccade
