#pragma once

#include "models/contrast/contrast_model.h"

// Sigmoid Loss for Language Image Pre-Training (Zhai et al. 2023) and SigLIP 2 (Tschannen et al.
// 2025). What differs from CLIP: phrases are scored independently (sigmoid), the text tower is
// bidirectional, and the patches are pooled by attention (MAP head). SigLIP 2 takes pictures in
// their own aspect ratio (NaFlex).

namespace saccade {

struct SiglipConfig {
    VisionTowerConfig vision;
    TextTowerConfig text;
    bool antialias = true;  // false: pictures of a fixed size are resized without
};
SiglipConfig read_siglip_config(const Json& json, const std::string& where);

// The authors resize pictures of a fixed size bilinearly, without antialiasing.
void follow_authors(SiglipConfig& config);

class Siglip : public ContrastModel {
public:
    Siglip(WeightLoader& weights, const SiglipConfig& config);

    // The pooling head counts as one more layer of attention.
    uint32_t layers() const override { return pooling_layer() + 1; }
    bool pools_last() const override { return true; }
    TokenLayout query_layout(uint32_t layer) const override;
    Tensor probabilities(Commands& c, const Tensor& logits) const override;
    bool judges_phrases_alone() const override { return true; }
    // The tap's last hidden state is the input of the pooling head, after the norm.
    Tensor embed(Commands& c, const Tensor& patches, Tap& tap) const override;
    void adapt(Preprocessor& preprocessor) const override;

private:
    uint32_t pooling_layer() const { return vision_.config().form.layers; }
    // The rest of the pooling head after its attention.
    Tensor head(Commands& c, const Tensor& pooled) const;
    // The embedding of each patch, as if it alone were pooled.
    Tensor project(Commands& c, const Tensor& z) const override;

    EncoderForm form_;
    bool antialias_;
    Norm norm_;
    Tensor probe_;      // (1, hidden)
    Linear qkv_, out_;  // (3 * heads * head, hidden), (hidden, heads * head)
    Norm head_norm_;
    Linear fc1_, fc2_;
};

}  // namespace saccade
