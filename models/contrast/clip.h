#pragma once

#include "models/contrast/contrast_model.h"

// CLIP (Radford et al. 2021).

namespace saccade {

struct ClipConfig {
    VisionTowerConfig vision;
    TextTowerConfig text;
};
ClipConfig read_clip_config(const Json& json, const std::string& where);

class Clip : public ContrastModel {
public:
    Clip(WeightLoader& weights, const ClipConfig& config);

    Tensor embed(Commands& c, const Tensor& patches, Tap& tap) const override;

private:
    Tensor project(Commands& c, const Tensor& z) const override;

    Norm norm_;
    Linear projection_;  // (projection, hidden)
};

}  // namespace saccade
