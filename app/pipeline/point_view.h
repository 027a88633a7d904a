#pragma once

#include <vector>

#include "app/pipeline/looker.h"
#include "gpu/engine.h"
#include "models/attention/sampled_points.h"

namespace saccade {

// The layer of deformable attention whose points the looker samples; null for plain attention, and
// where several maps lie side by side. The models must have been recorded.
const AttentionLayer* sampled_layer(const Models& models, const DetectionTaps& taps,
                                    const Looker& looker, const AttentionState& attention);

// Reads the points that a query samples, of one frame in flight.
class PointView {
public:
    explicit PointView(Engine& engine);

    // Of a layer that sampled_layer() gave, after the models have run. Waits for the device, which
    // only copies a few numbers.
    std::vector<SampledPoint> read(const AttentionLayer& layer, const Models& models,
                                   const Looker& looker, const AttentionState& attention);

private:
    Commands commands_;
    SampledPoints points_;
};

}  // namespace saccade
