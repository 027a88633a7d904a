#include "models/captioning/vision_encoders.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace saccade {

namespace {

// The ViT blocks over the map, with ViT's field names.
void read_blocks(const JsonFields& fields, HybridVisionConfig& config) {
    config.blocks = fields.whole("num_hidden_layers", {0, 1024});
    config.form = {
        .hidden = fields.whole("hidden_size", {1, 65536}),
        .heads = fields.whole("num_attention_heads", {1, 1024}),
        .intermediate = fields.whole("intermediate_size", {1, 262144}),
        .norm_eps = static_cast<float>(fields.number("layer_norm_eps", 0.0, 1.0, 1e-6)),
        .qkv_bias = true,
        .activation = activation_named(fields.text("hidden_act", "gelu"), fields.where())};
    require_whole_heads(fields, "hidden_size", config.form.hidden, "num_attention_heads",
                        config.form.heads);
}

HybridVisionConfig read_hybrid_vision_config(const JsonFields& fields) {
    HybridVisionConfig config;
    config.vision = read_rt_detr_vision(fields);
    config.image = Size(fields.whole("image_size", {32, 8192}));
    read_blocks(fields.object("look"), config);
    const auto strides = fields.wholes("feat_strides", {1, 8192}, {{8, 16, 32}});
    const auto found = std::ranges::find(strides, fields.whole("out_stride", {1, 8192}));
    config.level = static_cast<uint32_t>(found - strides.begin());
    if (config.level >= config.vision.stages.size())
        fields.refuse("out_stride", "is not one of feat_strides");
    config.vision.encoder.prefix = "encoder.encoder";
    config.vision.encoder.projections.prefix = "encoder.encoder_input_proj.";
    config.vision.encoder.fused = config.level + 1;
    return config;
}

}  // namespace

VisionEncoderConfig read_vision_encoder_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    if (fields.text("model_type", "vit") == "rt_detr") return read_hybrid_vision_config(fields);
    return read_vit_config(json, where);
}

std::unique_ptr<VisionEncoder> make_vision_encoder(WeightLoader& weights,
                                                   const VisionEncoderConfig& config) {
    if (const auto* hybrid = std::get_if<HybridVisionConfig>(&config))
        return std::make_unique<HybridVisionEncoder>(weights, *hybrid);
    return std::make_unique<ViTVisionEncoder>(weights, std::get<ViTConfig>(config));
}

PictureTokens ViTVisionEncoder::picture() const {
    const ViTConfig& config = vit_.config();
    return {.input = {config.image_width, config.image_height},
            .patch = {config.patch_width, config.patch_height},
            .grid = {config.grid_width(), config.grid_height()},
            .first_cell = config.prefix_tokens(),
            .tokens = config.tokens(),
            .columns = config.hidden};
}

void ViTVisionEncoder::encode(Commands& c, const Tensor& encoded, const Tensor& patches,
                              Tap& tap) const {
    auto scope = c.scope("ViT");
    vit_.normalize_into(c, encoded, vit_.encode(c, patches, tap));
}

double ViTVisionEncoder::multiply_adds() const {
    const ViTConfig& config = vit_.config();
    const double n = config.tokens(), dim = config.hidden;
    const double block = n * dim * (4 * dim + 2.0 * config.intermediate) + 2 * n * n * dim;
    const double patches = double(config.grid_height()) * config.grid_width();
    return config.layers * block + patches * dim * 3 * config.patch_width * config.patch_height;
}

HybridVisionEncoder::HybridVisionEncoder(WeightLoader& weights, const HybridVisionConfig& config)
    : config_(config),
      backbone_(weights, config.vision.backbone, "encoder.backbone.model"),
      encoder_(weights, weights, config.vision.encoder) {
    encoder_.prepare(map_sizes());
    const uint32_t dim = config.form.hidden, cells = picture().tokens;
    projection_ = weights.linear("enc_to_dec_proj", {.out = dim, .in = config.vision.encoder.dim});
    positions_ =
        weights.tensor("encoder.position_embeddings", {1, cells, dim}, cells, dim, Type::f32);
    for (uint32_t i = 0; i < config.blocks; ++i)
        blocks_.push_back(
            load_encoder_block(weights, "encoder.layer." + std::to_string(i), config.form));
    norm_ = weights.norm("encoder.layernorm", dim, config.form.norm_eps);
}

std::vector<Size> HybridVisionEncoder::map_sizes() const {
    const std::vector<Size> all = backbone_.stage_sizes(config_.image);
    std::vector<Size> sizes;
    for (uint32_t stage : config_.vision.stages) sizes.push_back(all[stage]);
    return sizes;
}

PictureTokens HybridVisionEncoder::picture() const {
    const Size grid = map_sizes()[config_.level];
    return {.input = config_.image,
            .patch = {1, 1},
            .grid = grid,
            .first_cell = 0,
            .tokens = area(grid),
            .columns = config_.form.hidden,
            .cell = glm::vec2(config_.image) / glm::vec2(grid)};
}

TokenLayout HybridVisionEncoder::layout(uint32_t layer) const {
    if (layer >= config_.vision.encoder.layers) return picture().layout();
    const Size grid = map_sizes()[config_.vision.encoder.attended.back()];
    return {.grid = grid, .cell = glm::vec2(config_.image) / glm::vec2(grid)};
}

void HybridVisionEncoder::encode(Commands& c, const Tensor& encoded, const Tensor& pixels,
                                 Tap& tap) const {
    auto scope = c.scope("hybrid encoder");
    const std::vector<FeatureMap> all = backbone_.stages(c, pixels, config_.image);
    std::vector<FeatureMap> maps;
    std::vector<Tensor> fused;
    for (uint32_t stage : config_.vision.stages) {
        maps.push_back(all[stage]);
        if (fused.size() <= config_.level)
            fused.push_back(c.scratch(encoded.batch, all[stage].x.rows, config_.vision.encoder.dim,
                                      encoded.type));
    }
    Parts no_parts;
    encoder_.forward(c, maps, fused, tap, no_parts);

    const Tensor z = c.scratch(encoded.batch, encoded.rows, encoded.columns, Type::f32);
    copy(c, z, positions_);
    linear_add(c, z, fused.back(), projection_);
    ResidualStream stream(c, z, projection_.weight.type);
    for (uint32_t i = 0; i < blocks_.size(); ++i)
        encoder_block(c, stream, blocks_[i], config_.form, config_.vision.encoder.layers + i, tap);
    layer_norm_into(c, encoded, z, norm_);
}

double HybridVisionEncoder::multiply_adds() const {
    const double n = picture().tokens, dim = config_.form.hidden;
    const double block = n * dim * (4 * dim + 2.0 * config_.form.intermediate) + 2 * n * n * dim;
    return backbone_.multiply_adds(config_.image) + encoder_.multiply_adds(map_sizes()) +
           n * dim * config_.vision.encoder.dim + config_.blocks * block;
}

}  // namespace saccade
