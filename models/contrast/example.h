#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/core/geometry.h"

namespace saccade {

// Something to look for that was shown instead of named: a vector like a phrase's.
struct Example {
    std::string label;
    std::vector<float> vector;  // of any length
    bool operator==(const Example&) const = default;
};

// Image-guided detection: below this score, and where a better one overlaps so much, nothing is told.
// Both are those of the models' documentation.
constexpr float example_threshold = 0.9f, example_overlap = 0.3f;

// Which of the boxes that a model found in the example's picture stands for what lies in `wanted`, as
// transformers' embed_image_query chooses it: of those that overlap nearly as well as the best one,
// the one whose vector is least like the picture as a whole. Boxes are centre, width and height, and
// `wanted` is in the same unit; vectors are `dim` long, one for each box. An Error if there are none.
size_t best_example(std::span<const float> vectors, size_t dim, std::span<const float> boxes,
                    const Rectangle& wanted);

}  // namespace saccade
