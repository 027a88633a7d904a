#pragma once

#include <string>
#include <vector>

#include "gpu/ops/common.h"
#include "gpu/ops/deformable.h"
#include "shaders/deformable/params.h"

namespace saccade {

inline void require_queries(const SamplingQueries& q, uint32_t heads, const Sampling& sampling,
                            const char* op) {
    const uint32_t points = heads * sampling.all_points();
    require(points > 0 && sampling.points.size() <= params::most_levels, op,
            "on " + std::to_string(sampling.points.size()) + " levels");
    for (uint32_t count : sampling.points)
        require(count < 256, op, std::to_string(count) + " points on a level");
    for (const Tensor* t : {&q.offsets, &q.weights, &q.boxes})
        require(t->type == Type::f32 && t->batch == q.boxes.batch && t->rows == q.boxes.rows, op,
                t->shape() + " for boxes " + q.boxes.shape());
    require(q.offsets.columns == 2 * points && q.weights.columns == points && q.boxes.columns == 4,
            op, q.offsets.shape() + ", " + q.weights.shape() + ", " + q.boxes.shape());
    require_wide(q.boxes, op);
}

// Eight bits a level.
inline void put_points(uint32_t (&to)[2], const std::vector<uint32_t>& points) {
    for (size_t level = 0; level < points.size(); ++level)
        to[level / 4] |= points[level] << (8 * (level % 4));
}

// A word a level; gives the cells of all.
inline uint32_t put_sizes(uint32_t (&to)[8], const std::vector<Size>& levels, const char* op) {
    uint32_t cells = 0;
    for (size_t level = 0; level < levels.size(); ++level) {
        require(levels[level].x < 65536 && levels[level].y < 65536, op, "on too large a map");
        to[level] = levels[level].x | levels[level].y << 16;
        cells += area(levels[level]);
    }
    return cells;
}

}  // namespace saccade
