#pragma once

#include "models/backbone/vit.h"
#include "models/captioning/caption_model.h"
#include "models/captioning/gpt2.h"

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
    void encode(Commands& c, const Tensor& encoded, const Tensor& patches, Tap& tap) const override;
    uint32_t encoder_layers() const override { return config_.encoder.layers; }
    void memorize(Commands& c, const Tensor& memory, const Tensor& encoded,
                  Tap& tap) const override;
    Generation read_generation(const Json& config, const std::string& where, const Json* file,
                               const std::string& file_where) const override {
        return saccade::read_generation(config, where, file, file_where,
                                        decoder_.form().vocabulary);
    }
    double multiply_adds() const override;

private:
    VitGpt2Config config_;
    ViT encoder_;
    Linear projection_;  // (decoder's hidden, encoder's); none where both are the same
    Gpt2 decoder_;
};

}  // namespace saccade
