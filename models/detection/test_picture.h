#pragma once

#include <span>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/ops/attention.h"
#include "gpu/recorder/commands.h"

namespace saccade {

// A picture that detectors try their opening on: waves of every length, each channel in its own
// direction, as bright and dark as can be.
class TestPicture {
public:
    static constexpr Size size{224, 224};

    // Values go from `darkest` to `brightest`, as the model's preprocessor makes them.
    TestPicture(Device& device, float darkest, float brightest);
    // (1, pixels, 3), stored so; valid until the scope ends.
    Tensor pixels(Commands& c, Type type) const;

private:
    Buffer memory_;
    Tensor waves_;
};

// What the scores of an attention are no larger than: of queries and keys side by side, (tokens, 2 *
// heads * head). No product is larger than that of the longest query and the longest key.
float largest_score(std::span<const float> queries_and_keys, uint32_t columns, const Heads& heads);

// If scores are larger than this, the eleven bits of half precision tell them apart by whole numbers
// at best, and any rounding may tip a softmax. Those of trained weights are far below.
constexpr float half_range = 2048;

}  // namespace saccade
