#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/core/geometry.h"

namespace saccade {

// A query by example: an embedding that takes the place of a phrase's.
struct Example {
    std::string label;
    std::vector<float> vector;  // not normalised
    bool operator==(const Example&) const = default;
};

// Image-guided detection: the score threshold and the largest overlap (IoU) with a better
// detection, as in the models' documentation.
constexpr float example_threshold = 0.9f, example_overlap = 0.3f;

// The index of the box in the example's picture whose embedding represents `wanted`, chosen as
// transformers' embed_image_query does: among the boxes whose overlap is close to the best, the one
// least similar to the mean of the picture. Boxes are centre, width and height, and `wanted` is in
// the same unit; there is a vector of `dim` elements for each box. An Error if there are none.
size_t best_example(std::span<const float> vectors, size_t dim, std::span<const float> boxes,
                    const Rectangle& wanted);

}  // namespace saccade
