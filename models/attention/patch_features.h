#pragma once

#include "gpu/core/buffer.h"
#include "models/attention/map_geometry.h"
#include "models/attention/tap.h"

// Maps of the final features of each patch, from a tap that kept features. Class and register
// tokens are left out.

namespace saccade {

// The cosine similarity of each cell's features to those of one token: (1, height, width) f32,
// valid until the scope ends.
Tensor similarity_map(Commands& c, const Tap& tap, const TokenLayout& tokens, uint32_t token,
                      uint32_t batch = 0);
// The same for all cells: row i is the similarity to cell i. (1, cells, cells) f32.
Tensor similarities(Commands& c, const Tap& tap, const TokenLayout& tokens);

// The first three principal components (PCA) of the cells' features as red, green and blue.
// Components and value ranges are carried over from picture to picture, so that an object keeps its
// colour in a video. The ranges leave out a few cells at either end, so that outliers do not
// dominate.
class PatchColours {
public:
    explicit PatchColours(Device& device) : device_(&device) {}

    // The next picture is unrelated to those before.
    void begin_anew() { fresh_ = true; }
    // (3, height, width) f32, from 0 to 1, valid until the scope ends. Recordings with the same
    // PatchColours must run in the order in which they were made.
    Tensor record(Commands& c, const Tap& tap, const TokenLayout& tokens, uint32_t batch = 0);

private:
    Device* device_;
    Buffer memory_;
    Tensor basis_, ranges_;  // (1, 3, columns) and (1, 3, 2) f32
    bool fresh_ = true;
};

// Clamps outliers, which would make the rest of an attention map invisible: cells above a multiple
// of the 98th percentile get that value. In place.
void limit_outliers(Commands& c, const Tensor& maps);
// The same for cells on the host: the limit, or infinity if no cell exceeds it.
float outlier_limit(const std::vector<float>& cells);

}  // namespace saccade
