#pragma once

#include <memory>
#include <string>

#include "models/captioning/caption_model.h"
#include "models/captioning/gpt2.h"
#include "models/captioning/vision_encoders.h"

namespace saccade {

// transformers' VisionEncoderDecoderModel: a vision encoder and GPT-2.
struct VisionEncoderDecoderConfig {
    VisionEncoderConfig encoder;
    Gpt2Config decoder;
};
VisionEncoderDecoderConfig read_vision_encoder_decoder_config(const Json& json,
                                                              const std::string& where);

class VisionEncoderDecoder : public CaptionModel {
public:
    VisionEncoderDecoder(WeightLoader& weights, const VisionEncoderDecoderConfig& config);

    const TextDecoder& decoder() const override { return decoder_; }
    PictureTokens picture() const override { return encoder_->picture(); }
    void encode(Commands& c, const Tensor& encoded, const Tensor& patches,
                Tap& tap) const override {
        encoder_->encode(c, encoded, patches, tap);
    }
    uint32_t encoder_layers() const override { return encoder_->layers(); }
    bool leaves_tokens_out() const override { return encoder_->leaves_tokens_out(); }
    bool hides_tokens() const override { return true; }
    TokenLayout encoder_layout(uint32_t layer) const override { return encoder_->layout(layer); }
    void memorize(Commands& c, const Tensor& memory, const Tensor& encoded,
                  Tap& tap) const override;
    Generation read_generation(const Json& config, const std::string& where, const Json* file,
                               const std::string& file_where) const override {
        return saccade::read_generation(config, where, file, file_where,
                                        decoder_.form().vocabulary);
    }
    double multiply_adds() const override;

private:
    std::unique_ptr<VisionEncoder> encoder_;
    Linear projection_;  // (decoder hidden, encoder columns); none if they are equal
    Gpt2 decoder_;
};

}  // namespace saccade
