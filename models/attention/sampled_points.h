#pragma once

#include <optional>
#include <vector>

#include "gpu/transfer/download.h"
#include "models/attention/map_geometry.h"
#include "models/attention/tap.h"

namespace saccade {

// A point that a query of deformable attention looks at.
struct SampledPoint {
    glm::vec2 place{0};  // in pixels of the frame
    float share = 0;     // of the attention of all the heads that are asked for
    uint32_t level = 0;  // of the maps that are sampled, the largest first
};

// Brings the points of a query to the host.
class SampledPoints {
public:
    // Of one head, or of all, of a layer that was kept and has points. Runs the commands: the model
    // has run, and the device has next to nothing to do.
    std::vector<SampledPoint> read(Commands& c, const AttentionLayer& layer, uint32_t query,
                                   std::optional<uint32_t> head, const MapGeometry& geometry);

private:
    Download places_, shares_;
};

}  // namespace saccade
