#pragma once

#include "gpu/ops/common.h"
#include "gpu/ops/grid_attention.h"
#include "shaders/grid_attention/params.h"

namespace saccade {

inline uint32_t relative_head_size(const Tensor& q, const Heads& heads, const char* op) {
    const uint32_t size = heads.count ? q.columns / heads.count : 0;
    require(size > 0 && size * heads.count == q.columns && size % row_quantum == 0 && size <= 256,
            op,
            q.shape() + " does not hold " + std::to_string(heads.count) +
                " heads of a multiple of 8 up to 256 columns");
    require_wide(q, op);
    return size;
}

inline void require_relative(const Tensor& q, const Tensor& k, const Heads& heads,
                             const RelativeTerms& terms, const char* op) {
    const auto& [places, scores] = terms;
    require(q.rows == places.first + area(places.queries) &&
                k.rows == places.first + area(places.keys) && k.columns == q.columns &&
                k.batch == q.batch && k.type == q.type,
            op, "q " + q.shape() + " and k " + k.shape() + " are not of these maps");
    require(scores.type == Type::f32 && scores.batch == q.batch &&
                scores.rows == area(places.queries) &&
                scores.columns == heads.count * (places.keys.x + places.keys.y),
            op, "scores " + scores.shape() + " for q " + q.shape());
    require_wide(k, op);
}

inline params::GridParams grid_of(const RelativePlaces& places) {
    return {places.first, places.keys.y, places.keys.x};
}

}  // namespace saccade
