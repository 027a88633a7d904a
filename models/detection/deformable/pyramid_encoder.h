#pragma once

#include <vector>

#include "models/attention/parts.h"
#include "models/attention/tap.h"
#include "models/backbone/feature_map.h"

namespace saccade {

// What lies between a backbone and a decoder: maps of several scales learn from each other, and
// become ones of the same number of channels.
class PyramidEncoder {
public:
    virtual ~PyramidEncoder() = default;

    // The sizes of the maps that it makes of maps of these sizes, the largest first.
    virtual std::vector<Size> fused_sizes(const std::vector<Size>& sizes) const { return sizes; }
    // Makes ready for maps of these sizes, and refuses those that cannot be fused.
    virtual void prepare(const std::vector<Size>& sizes) = 0;
    // The backbone's maps to those, written into `fused`.
    virtual void forward(Commands& c, const std::vector<FeatureMap>& maps,
                         const std::vector<Tensor>& fused, Tap& tap, Parts& parts) const = 0;
    // q and k of the first attention, for a test picture: (batch, cells, 2 * heads * head); none
    // where there is no attention.
    virtual Tensor first_queries_and_keys(Commands&, const std::vector<FeatureMap>&) const {
        return {};
    }
    virtual double multiply_adds(const std::vector<Size>& sizes) const = 0;
};

// An Error where a map is not twice as large as the next.
void require_halves(const std::vector<Size>& sizes);

}  // namespace saccade
