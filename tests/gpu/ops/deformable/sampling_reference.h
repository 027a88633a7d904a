#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "gpu/ops/deformable.h"

// Deformable attention in plain loops, for the tests of its operations.

namespace saccade {

struct PlainSampling {
    uint32_t queries, heads;
    Sampling sampling;
    std::vector<float> offsets, weights, boxes;  // of one batch

    uint32_t points() const { return sampling.all_points(); }
    uint32_t level_of(uint32_t point) const {
        uint32_t level = 0;
        for (; point >= sampling.points[level]; ++level) point -= sampling.points[level];
        return level;
    }
    float place(uint32_t query, uint32_t head, uint32_t point, uint32_t axis) const {
        const size_t at = ((size_t(query) * heads + head) * points() + point) * 2 + axis;
        const float count = static_cast<float>(sampling.points[level_of(point)]);
        const float* box = &boxes[size_t(query) * 4];
        return box[axis] + offsets[at] / count * box[2 + axis] * sampling.scale;
    }
    float share(uint32_t query, uint32_t head, uint32_t point) const {
        const size_t at = (size_t(query) * heads + head) * points();
        double sum = 0;
        for (uint32_t i = 0; i < points(); ++i) sum += std::exp(double(weights[at + i]));
        return static_cast<float>(std::exp(double(weights[at + point])) / sum);
    }
};

}  // namespace saccade
