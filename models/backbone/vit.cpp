#include "models/backbone/vit.h"

namespace saccade {

ViT::ViT(WeightLoader& weights, const ViTConfig& config, const std::string& prefix)
    : config_(config), form_{config.hidden,   config.heads,    config.intermediate,
                             config.norm_eps, config.qkv_bias, config.activation} {
    const std::string in = prefix + ".embeddings.";
    const uint32_t dim = config.hidden, tokens = config.tokens();

    // A convolution whose stride is its size is a linear layer on patches.
    patch_embedding_ =
        weights.linear(in + "patch_embeddings.projection",
                       {.out = dim,
                        .in = config.channels * config.patch_height * config.patch_width,
                        .stored = {dim, config.channels, config.patch_height, config.patch_width}});
    start_ = weights.tensor(in + "position_embeddings", {1, tokens, dim}, tokens, dim, Type::f32);
    weights.add_to(start_.slice_rows(0, 1), in + "cls_token", {1, 1, dim});
    if (config.distilled)
        weights.add_to(start_.slice_rows(1, 1), in + "distillation_token", {1, 1, dim});

    for (uint32_t i = 0; i < config.layers; ++i)
        blocks_.push_back(
            load_encoder_block(weights, prefix + ".encoder.layer." + std::to_string(i), form_));
    norm_ = weights.norm(prefix + ".layernorm", dim, config.norm_eps);
}

// z_0 = [x_class; x_p E] + E_pos                                                       (eq. 1)
Tensor ViT::embed(Commands& c, const Tensor& patches, Tap& tap) const {
    const Tensor z = c.scratch(patches.batch, config_.tokens(), config_.hidden, Type::f32);
    {
        auto scope = c.scope("embed");
        const Tensor cells = z.slice_rows(config_.prefix_tokens(), patches.rows);
        copy(c, z, start_);
        if (tap.skips_positions())
            linear_into(c, cells, patches, patch_embedding_);
        else
            linear_add(c, cells, patches, patch_embedding_);
    }
    const Tensor stay = tap.tokens(c, z);
    tap.hidden(c, 0, stay);
    return stay;
}

ResidualStream ViT::blocks(Commands& c, const Tensor& z, uint32_t first, uint32_t end,
                           Tap& tap) const {
    ResidualStream stream(c, z, patch_embedding_.weight.type);
    for (uint32_t i = first; i < end; ++i) {
        encoder_block(c, stream, blocks_[i], form_, i, tap);
        tap.hidden(c, i + 1, z);
    }
    return stream;
}

Tensor ViT::encode(Commands& c, const Tensor& patches, Tap& tap) const {
    return blocks(c, embed(c, patches, tap), 0, config_.layers, tap).sums();
}

Tensor ViT::encode_first(Commands& c, const Tensor& patches, Tap& tap) const {
    return finish_first(c, embed(c, patches, tap), 0, tap);
}

Tensor ViT::finish_first(Commands& c, const Tensor& start, uint32_t layer, Tap& tap) const {
    const uint32_t last = config_.layers - 1;
    ResidualStream z = blocks(c, start, layer, last, tap);
    const Tensor first =
        last_encoder_block(c, z, config_.prefix_tokens(), blocks_[last], form_, last, tap);
    tap.hidden(c, config_.layers, z.sums());
    if (tap.wants_features()) tap.features(c, normalize(c, z.sums(), Type::f32));
    return first;
}

}  // namespace saccade
