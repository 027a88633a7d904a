#include "models/contrast/text_tower.h"

#include <algorithm>

#include "gpu/ops/rows.h"
#include "gpu/ops/words.h"

namespace saccade {

TextTowerConfig read_text_tower_config(const JsonFields& fields, const TextTowerConfig& otherwise) {
    TextTowerConfig config = otherwise;
    config.form = read_tower_form(fields, otherwise.form);
    config.vocabulary = fields.whole("vocab_size", {1, 10'000'000}, otherwise.vocabulary);
    config.positions = fields.whole("max_position_embeddings", {1, 1'000'000}, otherwise.positions);
    config.end = fields.whole("eos_token_id", {}, otherwise.end);
    if (otherwise.pad) config.pad = fields.whole("pad_token_id", {}, *otherwise.pad);
    return config;
}

TextTower::TextTower(WeightLoader& weights, const std::string& prefix,
                     const TextTowerConfig& config)
    : config_(config), tower_(weights, prefix + "text_model", config.form) {
    const std::string in = prefix + "text_model.";
    const uint32_t dim = config.form.block.hidden;
    words_ = weights.tensor(in + "embeddings.token_embedding.weight", {config.vocabulary, dim},
                            config.vocabulary, dim, weights.type());
    positions_ = weights.tensor(in + "embeddings.position_embedding.weight",
                                {config.positions, dim}, config.positions, dim, Type::f32);
    norm_ = weights.norm(in + "final_layer_norm", dim, config.form.block.norm_eps);
    projection_ =
        weights.linear(prefix + config.projection,
                       {.out = config.projected, .in = dim, .bias = config.projection_bias});
}

uint32_t TextTower::read_at(std::span<const uint32_t> row) const {
    auto place = row.end() - 1;
    if (config_.reads == TextTowerConfig::Reads::largest_id) place = std::ranges::max_element(row);
    if (config_.reads == TextTowerConfig::Reads::first_end) {
        place = std::ranges::find(row, config_.end);
        if (place == row.end()) place = row.begin();
    }
    return static_cast<uint32_t>(place - row.begin());
}

Tensor TextTower::encode(Commands& c, const Tensor& ids, const Tensor& from, uint32_t unpadded,
                         Tap& tap) const {
    const Tensor result = c.scratch(ids.batch, 1, config_.projected, Type::f32);
    auto scope = c.scope("text");
    const Tensor z = embedding(c, ids, words_, positions_.slice_rows(0, ids.columns));
    tower_.encode(c, z, tap, {config_.causal, unpadded});
    const Tensor read = c.scratch(z.batch, 1, z.columns, Type::f32);
    gather(c, read, z.rows_as_batches(), from);
    linear_into(c, result, layer_norm(c, read, norm_, projection_.weight.type), projection_);
    return result;
}

}  // namespace saccade
