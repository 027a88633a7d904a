#pragma once

#include "models/caption_model.h"
#include "models/gpt2.h"
#include "models/vit.h"

namespace saccade {

// transformers' VisionEncoderDecoderModel of a ViT and a GPT-2.
struct VitGpt2Config {
    ViTConfig encoder;
    Gpt2Config decoder;
};
VitGpt2Config read_vit_gpt2_config(const Json& json, const std::string& where);

class VitGpt2 : public CaptionModel {
public:
    VitGpt2(WeightLoader& weights, const VitGpt2Config& config);

    const TextDecoder& decoder() const override { return decoder_; }
    PictureTokens picture() const override;
    void encode(Commands& c, const Tensor& encoded, const Tensor& patches,
                Tap& tap) const override;
    uint32_t encoder_layers() const override { return config_.encoder.layers; }
    void memorize(Commands& c, const Tensor& memory, const Tensor& encoded) const override;
    double multiply_adds() const override;

private:
    VitGpt2Config config_;
    ViT encoder_;
    Linear projection_;  // (decoder's hidden, encoder's); none where both are the same
    Gpt2 decoder_;
};

}  // namespace saccade
