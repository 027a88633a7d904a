#pragma once

#include <string>
#include <vector>

#include "models/backbone/layers.h"
#include "models/files/json.h"
#include "models/weights/weight_loader.h"

namespace saccade {

struct TowerForm {
    uint32_t layers = 0;
    EncoderForm block{};
};

// The fields of a tower's section of config.json. Missing fields take `otherwise`.
TowerForm read_tower_form(const JsonFields& fields, const TowerForm& otherwise);

// A stack of pre-norm blocks: CLIP has one for pictures and one for text. SigLIP, OWL-ViT and
// SmolVLM have the same.
class Tower {
public:
    // Loads `prefix`.encoder.layers.0.self_attn.q_proj and so on.
    Tower(WeightLoader& weights, const std::string& prefix, const TowerForm& form);

    // In place on the residual stream z (batch, tokens, hidden) f32.
    void encode(Commands& c, const Tensor& z, Tap& tap, const AttentionMask& mask = {}) const;

    const TowerForm& form() const { return form_; }
    double multiply_adds(double tokens) const;

private:
    TowerForm form_;
    std::vector<EncoderBlock> blocks_;
};

}  // namespace saccade
