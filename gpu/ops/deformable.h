#pragma once

#include <vector>

#include "gpu/core/geometry.h"
#include "gpu/core/tensor.h"
#include "gpu/ops/attention.h"
#include "gpu/recorder/commands.h"

// Multi-scale deformable attention (Zhu et al. 2020): a query samples a few points of several maps.

namespace saccade {

// The points of deformable attention.
struct Sampling {
    std::vector<uint32_t> points;  // of one head, on each level
    float scale = 0.5f;            // of offsets, in parts of the query's box
    bool discrete = false;         // takes the nearest cell, and does not interpolate

    uint32_t all_points() const;
};
// What a layer samples: each query samples around its box.
struct SamplingQueries {
    Tensor offsets;  // (batch, queries, heads * points * 2) f32
    Tensor weights;  // (batch, queries, heads * points) f32, before their softmax
    Tensor boxes;    // (batch, queries, 4) f32: centre and size, in parts of the picture
};
// Multi-scale deformable attention over maps of these sizes, whose cells lie one after the other in
// values (batch, cells, heads * head), where a head is a multiple of four columns:
// (batch, queries, heads * head), stored as the values are.
Tensor deformable(Commands& c, const Tensor& values, const std::vector<Size>& levels,
                  const SamplingQueries& queries, uint32_t heads, const Sampling& sampling);
void deformable_into(Commands& c, const Tensor& y, const Tensor& values,
                     const std::vector<Size>& levels, const SamplingQueries& queries,
                     uint32_t heads, const Sampling& sampling);

// Where its points lie and what they weigh, for display.
struct SamplingPoints {
    Tensor places;  // (batch, queries, heads * points * 2) f32: x, y in parts of the picture
    Tensor shares;  // (batch, queries, heads * points) f32: of each head they add up to 1
};
SamplingPoints sampling_points(Commands& c, const SamplingQueries& queries, uint32_t heads,
                               const Sampling& sampling);

// These points as maps of the picture, of this size, for some queries and heads: maps is (1, heads
// * rows, height * width) f32, as attention_map's. `points` has the number of points of a head on
// each level.
void splat(Commands& c, const Tensor& maps, const SamplingPoints& from,
           const std::vector<Size>& levels, const std::vector<uint32_t>& points, Size map,
           const MapRange& range);

}  // namespace saccade
