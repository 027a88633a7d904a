#pragma once

#include <string>

#include "gpu/ops/common.h"
#include "gpu/ops/maps.h"

namespace saccade {

inline constexpr uint64_t most_cells = 1u << 22;  // divide() of the kernels ends there

inline void require_features(const char* op, const Tensor& features, uint32_t first,
                             const Tensor& maps) {
    const uint64_t cells = uint64_t(maps.rows) * maps.columns;
    require(features.batch == 1 && features.type == Type::f32 && maps.type == Type::f32 &&
                cells > 0 && cells < most_cells && first + cells <= features.rows,
            op,
            features.shape() + " from token " + std::to_string(first) + " on into " + maps.shape());
    require_wide(features, op);
}

inline void require_ranges(const char* op, const Tensor& ranges, const Tensor& maps) {
    require(maps.type == Type::f32 && ranges.type == Type::f32 && ranges.batch == 1 &&
                ranges.rows == maps.batch && ranges.columns == 2 &&
                uint64_t(maps.rows) * maps.columns < most_cells,
            op, maps.shape() + " in " + ranges.shape());
}

}  // namespace saccade
