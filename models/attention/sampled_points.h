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

// The points of one query, on their way to the host.
class SampledPoints {
public:
    // For a layer that was kept, and has points. It must stay until this has run.
    void record(Commands& c, const AttentionLayer& layer, uint32_t query);
    // After that: of one head, or of all.
    std::vector<SampledPoint> points(std::optional<uint32_t> head,
                                     const MapGeometry& geometry) const;

private:
    Download places_, shares_;
    std::vector<uint32_t> on_level_;  // points of one head
};

}  // namespace saccade
