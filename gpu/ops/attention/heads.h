#pragma once

#include <string>

#include "gpu/ops/attention.h"
#include "gpu/ops/common.h"

namespace saccade {

// The columns of a head of q. Throws where q and k do not have such heads.
inline uint32_t head_size(const Tensor& q, const Tensor& k, const Heads& heads, const char* op) {
    const uint32_t size = heads.count ? q.columns / heads.count : 0;
    require(size * heads.count == q.columns && size > 0 && size % row_quantum == 0 && size <= 128,
            op,
            q.shape() + " does not hold " + std::to_string(heads.count) +
                " heads of a multiple of 8 up to 128 columns");
    require(heads.sharing > 0 && heads.count % heads.sharing == 0 &&
                k.columns * heads.sharing == q.columns && k.batch == q.batch && k.type == q.type,
            op, "q " + q.shape() + " and k " + k.shape());
    require_wide(q, op);
    require_wide(k, op);
    return size;
}

}  // namespace saccade
