#pragma once

#include "app/explain/explainer.h"
#include "app/pipeline/frame_order.h"

namespace saccade {

// Explains the strongest detection, else the likeliest class, of every frame of a batch.
class FrameExplainer {
public:
    struct Wanted {
        bool map = false;    // drawn over the frame
        bool meter = false;  // what the maps are worth, for the frame's line
    };
    // The models must outlive this.
    FrameExplainer(Engine& engine, const Models& models, const DetectionFilter& filter,
                   std::optional<Size> size, Wanted wanted);

    // For FrameOrder::explain.
    void explain(FrameOrder& order, FrameResult& known, const MaskedPicture& picture);

private:
    Explainer explainer_;
    Wanted wanted_;
};

}  // namespace saccade
