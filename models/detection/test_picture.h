#pragma once

#include <span>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/ops/attention.h"
#include "gpu/recorder/commands.h"

namespace saccade {

// A picture to test the range of a detector's first layers: waves of every length and full
// contrast, in another direction for each channel.
class TestPicture {
public:
    static constexpr Size size{224, 224};

    // Values range from `darkest` to `brightest`, after the model's preprocessing.
    TestPicture(Device& device, float darkest, float brightest);
    // (1, pixels, 3) of this type; valid until the scope ends.
    Tensor pixels(Commands& c, Type type) const;

private:
    Buffer memory_;
    Tensor waves_;
};

// An upper bound of attention scores: the product of the longest query and the longest key. Queries
// and keys are concatenated, (tokens, 2 * heads * head).
float largest_score(std::span<const float> queries_and_keys, uint32_t columns, const Heads& heads);

// Above this, the eleven significant bits of half precision resolve scores to whole numbers at
// best, and rounding may change the argmax of a softmax. Scores of trained weights are far below.
constexpr float half_range = 2048;

}  // namespace saccade
