#pragma once

#include "gpu/ops/common.h"
#include "gpu/ops/grid_attention.h"
#include "shaders/grid_attention/params.h"

namespace saccade {

inline params::WindowParams params_of(const Windows& w) {
    const Size count = w.count();
    return {w.map.x, w.map.y, count.x, count.y, w.shift, w.bias.row_stride, w.mask};
}

// The columns of a head of q. Throws where q and k are not the tokens of such windows.
inline uint32_t window_head_size(const Tensor& q, const Tensor& k, const Heads& heads,
                                 const Windows& w, const char* op) {
    const uint32_t size = heads.count ? q.columns / heads.count : 0;
    require(size > 0 && size * heads.count == q.columns && size % row_quantum == 0 && size <= 128,
            op,
            q.shape() + " does not hold " + std::to_string(heads.count) +
                " heads of a multiple of 8 up to 128 columns");
    require(w.window > 0 && w.shift < w.window && area(w.map) > 0 &&
                q.rows == w.tokens() + (w.padded() ? 1 : 0) && !(w.padded() && w.class_tokens),
            op, q.shape() + " are not the cells of a map of " + text(w.map));
    require(k.columns == q.columns && k.rows == q.rows && k.batch == q.batch && k.type == q.type,
            op, "q " + q.shape() + " and k " + k.shape());
    const uint32_t wide = 2 * w.window - 1;
    require(w.class_tokens || (w.bias.type == Type::f32 && w.bias.offset == 0 &&
                               w.bias.rows == heads.count && w.bias.columns == wide * wide),
            op, "a bias of " + w.bias.shape());
    require(!w.scales || (w.scales.type == Type::f32 && w.scales.offset == 0 &&
                          w.scales.columns == heads.count),
            op, "scales of " + w.scales.shape());
    require_wide(q, op);
    require_wide(k, op);
    return size;
}

}  // namespace saccade
