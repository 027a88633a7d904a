#pragma once

#include <vector>

#include "app/pipeline/looker.h"
#include "gpu/engine.h"
#include "models/attention/sampled_points.h"

namespace saccade {

// The layer whose points a looker samples; null where it looks at everything, or at many maps side
// by side. For a recording of the models that is there.
const AttentionLayer* sampled_layer(const Models& models, const DetectionTaps& taps,
                                    const Looker& looker, const AttentionState& attention);

// The points that a query of one frame on its way looks at.
class PointView {
public:
    explicit PointView(Engine& engine);

    // Of a layer that sampled_layer() gave, once the models have run. Waits for the device, which
    // has next to nothing to do.
    std::vector<SampledPoint> read(const AttentionLayer& layer, const Models& models,
                                   const Looker& looker, const AttentionState& attention);

private:
    Commands commands_;
    SampledPoints points_;
};

}  // namespace saccade
