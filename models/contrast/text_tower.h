#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/contrast/tower.h"

namespace saccade {

struct TextTowerConfig {
    TowerForm form;
    uint32_t vocabulary = 0;
    uint32_t positions = 0;  // the maximum number of ids in a text
    bool causal = true;      // else bidirectional
    // The token whose state is the text's embedding.
    enum class Reads { first_end, largest_id, last } reads = Reads::first_end;
    uint32_t end = 0;             // the id that ends a text
    std::optional<uint32_t> pad;  // pads texts to `positions` ids; nullopt: no padding
    // The projection into the embedding space shared with pictures.
    std::string projection = {};
    uint32_t projected = 0;
    bool projection_bias = false;
};
// Reads the sizes and ids of a "text_config". Missing fields take `otherwise`.
TextTowerConfig read_text_tower_config(const JsonFields& fields, const TextTowerConfig& otherwise);

// Tokenized texts: one row of ids each, all of the same length.
struct TextIds {
    std::vector<std::vector<uint32_t>> rows;
    uint32_t unpadded = UINT32_MAX;  // ids from here on are padding, which is masked
};

// The text encoder of a contrastive model.
class TextTower {
public:
    TextTower(WeightLoader& weights, const std::string& prefix, const TextTowerConfig& config);

    const TextTowerConfig& config() const { return config_; }
    // The index of the token whose state is the text's embedding.
    uint32_t read_at(std::span<const uint32_t> row) const;

    // ids (texts, 1, n) u32, and the tokens to read among those of all texts, (1, 1, texts) u32, to
    // (texts, 1, projected) f32, not normalised.
    Tensor encode(Commands& c, const Tensor& ids, const Tensor& from, uint32_t unpadded,
                  Tap& tap) const;

private:
    TextTowerConfig config_;
    Tensor words_;      // (vocabulary, hidden)
    Tensor positions_;  // (positions, hidden) f32
    Tower tower_;
    Norm norm_;
    Linear projection_;  // (projected, hidden)
};

}  // namespace saccade
