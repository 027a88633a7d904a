#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/backbone/position.h"
#include "models/contrast/tower.h"
#include "models/picture/preprocessor.h"

namespace saccade {

struct VisionTowerConfig {
    uint32_t image = 0, patch = 0;
    TowerForm form;
    bool class_token = true;    // before the patches
    bool patch_bias = false;    // of the layer that embeds patches
    std::string pre_norm = {};  // name of the norm before the first block; empty: none
    // For pictures of any size: patches along a side of the stored positions, which are
    // interpolated. 0: one size, image x image.
    uint32_t positions = 0;

    uint32_t grid() const { return image / patch; }
    uint32_t prefix_tokens() const { return class_token ? 1 : 0; }
    uint32_t tokens() const { return prefix_tokens() + grid() * grid(); }
};
// Reads image_size and patch_size too. Missing fields take `otherwise`.
VisionTowerConfig read_vision_tower_config(const JsonFields& fields,
                                           const VisionTowerConfig& otherwise);

// The ViT of CLIP, with positions for one size and optionally a norm before the first block, and of
// SigLIP 2, with positions for any size.
class VisionTower {
public:
    VisionTower(WeightLoader& weights, const std::string& prefix, const VisionTowerConfig& config);

    // Prepares a tower for pictures of any size for one grid. Nothing recorded with the ninth grid
    // before it may run.
    void prepare(Size grid);

    // patches (batch, grid, 3 * patch * patch) to the residual stream after the last block:
    // (batch, tokens, hidden) f32. The tap's hidden states begin before the first block.
    Tensor encode(Commands& c, const Tensor& patches, Tap& tap) const;

    const VisionTowerConfig& config() const { return config_; }
    const Tower& tower() const { return tower_; }
    Type type() const { return patch_embedding_.weight.type; }
    Size grid() const;  // of patches, for the prepared size
    double multiply_adds() const;

private:
    VisionTowerConfig config_;
    Linear patch_embedding_;      // (hidden, 3 * patch * patch)
    Tensor start_;                // (tokens, hidden) f32: positions, with the class token added
    std::vector<float> learned_;  // (positions, positions, hidden), for any size
    std::optional<PositionTables> any_;  // start_ for the prepared size
    Norm pre_norm_;
    Tower tower_;
};

// Interpolates a table (from.y * from.x, dim) to a grid of another size: bilinear, antialiased when
// shrinking, as torch's interpolate with antialias=True does.
std::vector<float> resize_bilinear(std::span<const float> table, uint32_t dim, Size from, Size to);

}  // namespace saccade
