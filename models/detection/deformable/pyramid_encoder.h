#pragma once

#include <vector>

#include "models/attention/parts.h"
#include "models/attention/tap.h"
#include "models/backbone/feature_map.h"

namespace saccade {

// Between a backbone and a decoder: fuses maps of several scales into maps of the same number of
// channels.
class PyramidEncoder {
public:
    virtual ~PyramidEncoder() = default;

    // The sizes of its output for maps of these sizes, the largest first.
    virtual std::vector<Size> fused_sizes(const std::vector<Size>& sizes) const { return sizes; }
    // Prepares for maps of these sizes; an Error if they cannot be fused.
    virtual void prepare(const std::vector<Size>& sizes) = 0;
    // Fuses the backbone's maps into `fused`.
    virtual void forward(Commands& c, const std::vector<FeatureMap>& maps,
                         const std::vector<Tensor>& fused, Tap& tap, Parts& parts) const = 0;
    // q and k of the first attention, for a test picture: (batch, cells, 2 * heads * head); empty
    // if the encoder has no attention.
    virtual Tensor first_queries_and_keys(Commands&, const std::vector<FeatureMap>&) const {
        return {};
    }
    virtual double multiply_adds(const std::vector<Size>& sizes) const = 0;
};

// Throws an Error if a map is not twice as large as the next.
void require_halves(const std::vector<Size>& sizes);

}  // namespace saccade
