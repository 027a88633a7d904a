#include "models/captioning/vit_gpt2.h"

#include <nlohmann/json.hpp>

namespace saccade {

VitGpt2Config read_vit_gpt2_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    require_architecture(fields, read_model_config(fields), "vision-encoder-decoder",
                         "VisionEncoderDecoderModel");
    const JsonFields encoder = fields.object("encoder"), decoder = fields.object("decoder");
    return {read_vit_config(*fields.find("encoder"), encoder.where()), read_gpt2_config(decoder)};
}

VitGpt2::VitGpt2(WeightLoader& weights, const VitGpt2Config& config)
    : config_(config),
      encoder_(weights, config.encoder, "encoder"),
      decoder_(weights, config.decoder, "decoder") {
    const uint32_t from = config.encoder.hidden, to = config.decoder.form.hidden;
    if (from != to) projection_ = weights.linear("enc_to_dec_proj", {.out = to, .in = from});
}

PictureTokens VitGpt2::picture() const {
    const ViTConfig& e = config_.encoder;
    return {.input = {e.image_width, e.image_height},
            .patch = {e.patch_width, e.patch_height},
            .grid = {e.grid_width(), e.grid_height()},
            .first_cell = e.prefix_tokens(),
            .tokens = e.tokens(),
            .columns = e.hidden};
}

void VitGpt2::encode(Commands& c, const Tensor& encoded, const Tensor& patches, Tap& tap) const {
    auto scope = c.scope("ViT");
    encoder_.normalize_into(c, encoded, encoder_.encode(c, patches, tap));
}

void VitGpt2::memorize(Commands& c, const Tensor& memory, const Tensor& encoded, Tap&) const {
    auto scope = c.scope("memorize");
    decoder_.memorize(c, memory, projection_.weight ? linear(c, encoded, projection_) : encoded);
}

double VitGpt2::multiply_adds() const {
    const ViTConfig& e = config_.encoder;
    const double n = e.tokens(), dim = e.hidden, text = config_.decoder.form.hidden;
    const double block = n * dim * (4 * dim + 2.0 * e.intermediate) + 2 * n * n * dim;
    const double patches = double(e.grid_height()) * e.grid_width();
    return e.layers * block + patches * dim * 3 * e.patch_width * e.patch_height +
           (projection_.weight ? n * dim * text : 0) +
           2.0 * config_.decoder.form.layers * n * text * text;
}

}  // namespace saccade
