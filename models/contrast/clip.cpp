#include "models/contrast/clip.h"

#include <cmath>

#include "models/backbone/config.h"

namespace saccade {

ClipConfig read_clip_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    require_architecture(fields, read_model_config(fields), "clip", "CLIPModel");
    const uint32_t projection = fields.whole("projection_dim", {1, 65536}, 512);
    ClipConfig config{
        .vision = read_vision_tower_config(
            tower_section(fields, "vision_config"),
            {.image = 224,
             .patch = 32,
             .form = {12, {768, 12, 3072, 1e-5f, true, Activation::quick_gelu}},
             .pre_norm = "pre_layrnorm"}),  // sic
        .text = read_text_tower_config(
            tower_section(fields, "text_config"),
            {.form = {12, {512, 8, 2048, 1e-5f, true, Activation::quick_gelu}},
             .vocabulary = 49408,
             .positions = 77,
             .end = 49407,
             .pad = std::nullopt,
             .projection = "text_projection",
             .projected = projection}),
    };
    // Older files have a wrong eos id of 2; transformers then reads at the largest id.
    if (config.text.end == 2) config.text.reads = TextTowerConfig::Reads::largest_id;
    return config;
}

Clip::Clip(WeightLoader& weights, const ClipConfig& config)
    : ContrastModel(VisionTower(weights, "vision_model", config.vision),
                    Phrases(weights.device(), TextTower(weights, "", config.text),
                            {.scale = std::exp(weights.floats("logit_scale", {}).front())},
                            "a photo of a {}.")) {
    const EncoderForm& form = config.vision.form.block;
    norm_ = weights.norm("vision_model.post_layernorm", form.hidden, form.norm_eps);
    projection_ = weights.linear("visual_projection",
                                 {.out = config.text.projected, .in = form.hidden, .bias = false});
}

// The class token is the picture's embedding.
Tensor Clip::embed(Commands& c, const Tensor& patches, Tap& tap) const {
    const Tensor z = vision_.encode(c, patches, tap);
    if (tap.wants_features()) tap.features(c, layer_norm(c, z, norm_, Type::f32));
    return project(c, z.slice_rows(0, 1));
}

Tensor Clip::project(Commands& c, const Tensor& z) const {
    const Tensor y = c.scratch(z.batch, z.rows, projection_.weight.rows, Type::f32);
    linear_into(c, y, layer_norm(c, z, norm_, projection_.weight.type), projection_);
    return y;
}

}  // namespace saccade
