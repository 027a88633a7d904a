#pragma once

#include "gpu/core/buffer.h"
#include "models/attention/map_geometry.h"
#include "models/attention/tap.h"

// Maps of what a model knows of each patch at its end. Class and register tokens never take part:
// cells of the picture are all that lands on it. All are for a tap that kept features.

namespace saccade {

// How much each cell is like one token, by the cosine of their features: (1, height, width) f32,
// valid until the scope ends.
Tensor similarity_map(Commands& c, const Tap& tap, const TokenLayout& tokens, uint32_t token,
                      uint32_t batch = 0);
// The same for all cells: row i is how much each is like cell i. (1, cells, cells) f32.
Tensor similarities(Commands& c, const Tap& tap, const TokenLayout& tokens);

// The three main components of the cells' features as red, green and blue. The directions are
// carried over from picture to picture, and so are the ranges, so that a thing keeps its colour in
// a video. A few cells at either end of a range do not count: outliers cannot swamp it.
class PatchColours {
public:
    explicit PatchColours(Device& device) : device_(&device) {}

    // The next picture has nothing to do with those before.
    void begin_anew() { fresh_ = true; }
    // (3, height, width) f32, from 0 to 1, valid until the scope ends. What is recorded with the
    // same colours runs in the order in which it was recorded.
    Tensor record(Commands& c, const Tap& tap, const TokenLayout& tokens, uint32_t batch = 0);

private:
    Device* device_;
    Buffer memory_;
    Tensor basis_, ranges_;  // (1, 3, columns) and (1, 3, 2) f32
    bool fresh_ = true;
};

// Attention that goes to a few outliers leaves nothing to be seen of the rest. Cells beyond this
// many times the value that 98 of 100 stay below are drawn as if they were that. In place.
void limit_outliers(Commands& c, const Tensor& maps);
// The same for cells on the host: the limit, or infinity where no cell is beyond it.
float outlier_limit(const std::vector<float>& cells);

}  // namespace saccade
