#include "models/contrast/siglip.h"

#include <cmath>

#include "gpu/ops/attention.h"
#include "gpu/ops/elementwise.h"
#include "models/backbone/config.h"

namespace saccade {

SiglipConfig read_siglip_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    const ModelConfig common = read_model_config(fields);
    const bool second = common.model_type == "siglip2";
    require_architecture(fields, common, second ? "siglip2" : "siglip",
                         second ? "Siglip2Model" : "SiglipModel");
    const TowerForm form{12, {768, 12, 3072, 1e-6f, true, Activation::gelu_tanh}};
    VisionTowerConfig vision{
        .image = 224, .patch = 16, .form = form, .class_token = false, .patch_bias = true};
    const JsonFields section = tower_section(fields, "vision_config");
    if (!section.flag("vision_use_head", true))
        section.refuse("vision_use_head",
                       "is false; only models with their pooling head are supported");
    if (second) {
        const uint32_t patches = section.whole("num_patches", {1, 1u << 20}, 256);
        vision.positions = static_cast<uint32_t>(std::sqrt(double(patches)));
        if (vision.positions * vision.positions != patches)
            section.refuse("num_patches", "is " + std::to_string(patches) + ", not a square");
    }
    SiglipConfig config{.vision = read_vision_tower_config(section, vision),
                        .text = {.form = form,
                                 .vocabulary = 32000,
                                 .positions = 64,
                                 .causal = false,
                                 .reads = TextTowerConfig::Reads::last,
                                 .end = 49407,
                                 .pad = 1,
                                 .projection = "text_model.head",
                                 .projection_bias = true}};
    const JsonFields text = tower_section(fields, "text_config");
    config.text = read_text_tower_config(text, config.text);
    config.text.projected =
        text.whole("projection_size", {1, 65536}, config.text.form.block.hidden);
    if (config.text.projected != config.vision.form.block.hidden)
        text.refuse("projection_size", "is not the size of the picture's vectors (" +
                                           std::to_string(config.vision.form.block.hidden) + ")");
    return config;
}

Siglip::Siglip(WeightLoader& weights, const SiglipConfig& config)
    : ContrastModel(VisionTower(weights, "vision_model", config.vision),
                    Phrases(weights.device(), TextTower(weights, "", config.text),
                            {.scale = std::exp(weights.floats("logit_scale", {1}).front()),
                             .bias = weights.floats("logit_bias", {1}).front()},
                            "this is a photo of {}.")),
      form_(config.vision.form.block),
      antialias_(config.antialias) {
    const std::string in = "vision_model.head.";
    const uint32_t dim = form_.hidden, head = form_.head_size();
    norm_ = weights.norm("vision_model.post_layernorm", dim, form_.norm_eps);
    probe_ = weights.tensor(in + "probe", {1, 1, dim}, 1, dim, weights.type());
    qkv_ = weights.linear(
        in + "attention.in_proj",
        {.out = 3 * dim, .in = dim, .out_head = head, .join = "_", .rows = Rows::any});
    out_ = weights.linear(in + "attention.out_proj",
                          {.out = dim, .in = dim, .in_head = head, .rows = Rows::any});
    head_norm_ = weights.norm(in + "layernorm", dim, form_.norm_eps);
    fc1_ =
        weights.linear(in + "mlp.fc1", {.out = form_.intermediate, .in = dim, .rows = Rows::any});
    fc2_ =
        weights.linear(in + "mlp.fc2", {.out = dim, .in = form_.intermediate, .rows = Rows::any});
}

void follow_authors(SiglipConfig& config) { config.antialias = false; }

void Siglip::adapt(Preprocessor& preprocessor) const {
    if (preprocessor.resize == Preprocessor::Resize::fixed) preprocessor.antialias = antialias_;
}

// The pooling layer has a single query, the probe, for the whole picture.
TokenLayout Siglip::query_layout(uint32_t layer) const {
    TokenLayout tokens = layout(layer);
    if (layer < pooling_layer()) return tokens;
    tokens.cell *= glm::vec2(tokens.grid);
    tokens.grid = {1, 1};
    return tokens;
}

Tensor Siglip::probabilities(Commands& c, const Tensor& logits) const {
    return multiply(c, logits, {}, Type::f32, Activation::sigmoid);
}

// softmax(probe k^T) v over the patches, then y + MLP(LN(y))
Tensor Siglip::embed(Commands& c, const Tensor& patches, Tap& tap) const {
    const Tensor z = vision_.encode(c, patches, tap);
    const Tensor x = layer_norm(c, z, norm_, qkv_.weight.type);
    tap.hidden(c, pooling_layer() + 1, x);
    if (tap.wants_features()) tap.features(c, layer_norm(c, z, norm_, Type::f32));
    const uint32_t width = qkv_.weight.rows / 3;
    const Tensor kv = linear(c, x, qkv_);  // the patches' queries are not used
    const Linear query{qkv_.weight.slice_rows(0, width), qkv_.bias.slice_columns(0, width)};
    const Tensor q = c.scratch(z.batch, 1, width, kv.type);
    copy(c, q, linear(c, probe_, query));
    const Tensor k = kv.slice_columns(width, width), v = kv.slice_columns(2 * width, width);
    const Heads heads = form_.attention_heads();
    tap.attention(c, pooling_layer(), q, k, heads);
    return head(c, tap.heads(c, pooling_layer(), attention(c, q, k, v, heads), heads));
}

// y + MLP(LN(y)) of y = W_o pooled
Tensor Siglip::head(Commands& c, const Tensor& pooled) const {
    const Tensor y = c.scratch(pooled.batch, pooled.rows, form_.hidden, Type::f32);
    linear_into(c, y, pooled, out_);
    const Tensor x = layer_norm(c, y, head_norm_, fc1_.weight.type);
    linear_add(c, y, linear(c, x, fc1_, form_.activation), fc2_);
    return y;
}

Tensor Siglip::project(Commands& c, const Tensor& z) const {
    const uint32_t width = qkv_.weight.rows / 3;
    const Tensor x = layer_norm(c, z, norm_, qkv_.weight.type);
    return head(c, linear(c, x, qkv_).slice_columns(2 * width, width));
}

}  // namespace saccade
