#include "models/captioning/vision_encoder_decoder.h"

#include <nlohmann/json.hpp>

namespace saccade {

VisionEncoderDecoderConfig read_vision_encoder_decoder_config(const Json& json,
                                                              const std::string& where) {
    const JsonFields fields(json, where);
    require_architecture(fields, read_model_config(fields), "vision-encoder-decoder",
                         "VisionEncoderDecoderModel");
    const JsonFields encoder = fields.object("encoder"), decoder = fields.object("decoder");
    VisionEncoderDecoderConfig config{.encoder = {}, .decoder = read_gpt2_config(decoder)};
    config.encoder = read_vision_encoder_config(*fields.find("encoder"), encoder.where());
    const auto* const hybrid = std::get_if<HybridVisionConfig>(&config.encoder);
    if (hybrid && hybrid->form.hidden != config.decoder.form.hidden)
        encoder.refuse("look", "has another hidden_size than the decoder's n_embd");
    return config;
}

VisionEncoderDecoder::VisionEncoderDecoder(WeightLoader& weights,
                                           const VisionEncoderDecoderConfig& config)
    : encoder_(make_vision_encoder(weights, config.encoder)),
      decoder_(weights, config.decoder, "decoder") {
    const uint32_t from = encoder_->picture().columns, to = config.decoder.form.hidden;
    if (from != to) projection_ = weights.linear("enc_to_dec_proj", {.out = to, .in = from});
}

void VisionEncoderDecoder::memorize(Commands& c, const Tensor& memory, const Tensor& encoded,
                                    Tap&) const {
    auto scope = c.scope("memorize");
    decoder_.memorize(c, memory, projection_.weight ? linear(c, encoded, projection_) : encoded);
}

double VisionEncoderDecoder::multiply_adds() const {
    const PictureTokens picture = encoder_->picture();
    const double n = picture.tokens, text = decoder_.form().hidden;
    return encoder_->multiply_adds() + (projection_.weight ? n * picture.columns * text : 0) +
           2.0 * decoder_.form().layers * n * text * text;
}

}  // namespace saccade
