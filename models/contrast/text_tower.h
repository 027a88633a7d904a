#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/contrast/tower.h"

namespace saccade {

struct TextTowerConfig {
    TowerForm form;
    uint32_t vocabulary = 0;
    uint32_t positions = 0;  // ids of a text at most
    bool causal = true;      // words see those before them; else all of them
    // Which token's state stands for the text.
    enum class Reads { first_end, largest_id, last } reads = Reads::first_end;
    uint32_t end = 0;             // the id that ends a text
    std::optional<uint32_t> pad;  // fills texts up to `positions` ids; none: they end where they end
    // The layer that brings the state into the space of the pictures.
    std::string projection = {};
    uint32_t projected = 0;
    bool projection_bias = false;
};
// Reads the sizes and ids of a "text_config". Missing fields take `otherwise`.
TextTowerConfig read_text_tower_config(const JsonFields& fields, const TextTowerConfig& otherwise);

// Texts as the tower reads them: one row of ids each, all of the same length.
struct TextIds {
    std::vector<std::vector<uint32_t>> rows;
    uint32_t seen = UINT32_MAX;  // ids from here on are padding that is not looked at
};

// The half of a contrastive model that reads.
class TextTower {
public:
    TextTower(WeightLoader& weights, const std::string& prefix, const TextTowerConfig& config);

    const TextTowerConfig& config() const { return config_; }
    // The token of each row that stands for the text.
    uint32_t read_at(std::span<const uint32_t> row) const;

    // ids (texts, 1, n) u32 and which of all the texts' tokens to read, (1, 1, texts) u32, to
    // (texts, 1, projected) f32, not yet of length 1.
    Tensor encode(Commands& c, const Tensor& ids, const Tensor& from, uint32_t seen, Tap& tap) const;

private:
    TextTowerConfig config_;
    Tensor words_;      // (vocabulary, hidden)
    Tensor positions_;  // (positions, hidden) f32
    Tower tower_;
    Norm norm_;
    Linear projection_;  // (projected, hidden)
};

}  // namespace saccade
