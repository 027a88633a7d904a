#pragma once

#include <optional>
#include <vector>

#include "gpu/transfer/download.h"
#include "models/attention/map_geometry.h"
#include "models/attention/tap.h"

namespace saccade {

// A sampling point of deformable attention.
struct SampledPoint {
    glm::vec2 place{0};  // in pixels of the frame
    float share = 0;     // its attention weight; the points of a query sum to 1
    uint32_t level = 0;  // of the sampled maps, the largest first
};

// Reads the sampling points of a query back to the host.
class SampledPoints {
public:
    // The points of one head, or of all heads, of a layer that was kept and has points. Runs the
    // commands and waits.
    std::vector<SampledPoint> read(Commands& c, const AttentionLayer& layer, uint32_t query,
                                   std::optional<uint32_t> head, const MapGeometry& geometry);

private:
    Download places_, shares_;
};

}  // namespace saccade
